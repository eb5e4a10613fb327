package io.mgtm.query.suite;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts the text of a script into what psql reads as one: psqlscan.l, psqlscanslash.l. */
final class PsqlScanner {
  private static final Pattern DOLLAR =
      Pattern.compile("\\$([A-Za-z_\u0080-\uffff][\\w\u0080-\uffff]*)?\\$");
  private static final Pattern WORD = Pattern.compile("[A-Za-z_\u0080-\uffff][\\w$\u0080-\uffff]*");

  /** Commands that send what was read. */
  private static final Pattern SENDS =
      Pattern.compile("\\\\(g|gx|gset|gexec|gdesc|crosstabview|watch)\\b.*");

  private static final Pattern ROUTINE =
      Pattern.compile("create (or replace )?(function|procedure)\\b.*");

  private static final Pattern STRINGS =
      Pattern.compile("(?is).*\\bset\\s+standard_conforming_strings\\s*(=|to)\\s*'?(off|on)\\b.*");

  private final String text;
  private int at;
  private boolean backslashes;

  /** Of the piece that is read. */
  private final StringBuilder words = new StringBuilder();

  private int parentheses;
  private int begins;

  PsqlScanner(String text) {
    this.text = text;
  }

  boolean hasNext() {
    return at < text.length();
  }

  int position() {
    return at;
  }

  void goTo(int position) {
    at = position;
  }

  /** The next line without its end, or null. */
  String line() {
    if (!hasNext()) {
      return null;
    }
    int end = endOfLine();
    String line = text.substring(at, end);
    at = Math.min(end + 1, text.length());
    return line;
  }

  private int endOfLine() {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  /** The next piece, without the end of its last line. */
  String next() {
    int from = at;
    words.setLength(0);
    parentheses = 0;
    begins = 0;
    boolean ended = false;
    while (!ended && hasNext()) {
      ended = step();
    }
    String piece = text.substring(from, at).stripTrailing();
    if (hasNext() && text.substring(at, endOfLine()).isBlank()) {
      at = Math.min(endOfLine() + 1, text.length());
    }
    Matcher strings = STRINGS.matcher(piece);
    if (strings.matches()) {
      backslashes = strings.group(2).equalsIgnoreCase("off");
    }
    return piece;
  }

  /** One token; true when the piece ends with it. */
  private boolean step() {
    char c = text.charAt(at);
    switch (c) {
      case '\'' -> quoted('\'', backslashes || isEscape());
      case '"' -> quoted('"', false);
      case '-' -> comment();
      case '/' -> block();
      case '$' -> dollar();
      case '(' -> parentheses(1);
      case ')' -> parentheses(-1);
      case '\\' -> {
        return command();
      }
      case ';' -> {
        at++;
        return parentheses == 0 && begins == 0;
      }
      default -> word();
    }
    return false;
  }

  private void parentheses(int change) {
    parentheses = Math.max(0, parentheses + change);
    at++;
  }

  private boolean isEscape() {
    return at > 0
        && Character.toLowerCase(text.charAt(at - 1)) == 'e'
        && (at == 1 || !Character.isLetterOrDigit(text.charAt(at - 2)));
  }

  private void quoted(char quote, boolean escapes) {
    at++;
    while (hasNext() && text.charAt(at) != quote) {
      at += escapes && text.charAt(at) == '\\' ? 2 : 1;
    }
    at = Math.min(at + 1, text.length());
  }

  private void comment() {
    at = text.startsWith("--", at) ? endOfLine() : at + 1;
  }

  private void block() {
    if (!text.startsWith("/*", at)) {
      at++;
      return;
    }
    int depth = 0;
    do {
      if (text.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (text.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && hasNext());
    at = Math.min(at, text.length());
  }

  private void dollar() {
    Matcher tag = DOLLAR.matcher(text).region(at, text.length());
    if (!tag.lookingAt()) {
      at++;
      return;
    }
    int end = text.indexOf(tag.group(), tag.end());
    at = end < 0 ? text.length() : end + tag.group().length();
  }

  private void word() {
    Matcher word = WORD.matcher(text).region(at, text.length());
    if (!word.lookingAt()) {
      if (Character.isDigit(text.charAt(at))) {
        words.append("0 ");
      }
      at++;
      return;
    }
    String name = word.group().toLowerCase(Locale.ROOT);
    at = word.end();
    // A prefix of a string, as in E'…'.
    if (name.length() == 1 && hasNext() && text.charAt(at) == '\'') {
      return;
    }
    words.append(name).append(' ');
    if (parentheses == 0 && ROUTINE.matcher(words).matches()) {
      body(name);
    }
  }

  /** BEGIN ATOMIC … END. */
  private void body(String name) {
    if (name.equals("begin") || (name.equals("case") && begins > 0)) {
      begins++;
    } else if (name.equals("end") && begins > 0) {
      begins--;
    }
  }

  /** A command, to the end of its line; true when it ends the piece. */
  private boolean command() {
    if (text.startsWith("\\;", at)) {
      at += 2;
      return false;
    }
    String command = text.substring(at, endOfLine());
    at = endOfLine();
    return words.isEmpty() || SENDS.matcher(command).matches();
  }
}
