package io.mgtm.query.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts SQL into tokens as PostgreSQL's scan.l does with {@code standard_conforming_strings} on.
 * What is rare and hard to read the same way in all versions - names and strings with Unicode
 * escapes, junk after numbers - is refused rather than guessed.
 */
public final class Lexer {
  private static final String OPERATOR_CHARS = "+-*/<>=~!@#%^&|`?";

  /** An operator of several characters ends with + or - only when it has one of these. */
  private static final String SIGN_FRIENDS = "~!@#%^&|`?";

  private static final int TOKENS_MAX = 1_000_000;

  /** NAMEDATALEN less the end of the text. */
  private static final int NAME_BYTES_MAX = 63;

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(String sql) {
    this.sql = sql;
  }

  /**
   * The tokens of a text, without comments and white space.
   *
   * @throws SqlException when it does not end, or is one of what is refused
   */
  public static List<Token> tokens(String sql) throws SqlException {
    Lexer lexer = new Lexer(sql);
    while (lexer.skipSpace()) {
      if (lexer.tokens.size() >= TOKENS_MAX) {
        throw new SqlException("more than " + TOKENS_MAX + " tokens");
      }
      lexer.token();
    }
    return List.copyOf(lexer.tokens);
  }

  private int peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : -1;
  }

  /** Whether there is more. */
  private boolean skipSpace() throws SqlException {
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0x0b) {
        at++;
      } else if (c == '-' && peek(1) == '-') {
        while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
          at++;
        }
      } else if (c == '/' && peek(1) == '*') {
        skipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  private void skipComment() throws SqlException {
    int depth = 0;
    do {
      if (at >= sql.length()) {
        throw new SqlException("unterminated /* comment");
      } else if (peek(0) == '/' && peek(1) == '*') {
        depth++;
        at += 2;
      } else if (peek(0) == '*' && peek(1) == '/') {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0);
  }

  private void token() throws SqlException {
    int start = at;
    char c = sql.charAt(at);
    if (isNameStart(c)) {
      name(start);
    } else if (c == '"') {
      tokens.add(new Token(Token.Kind.QUOTED, known(quoted('"', false)), start, at));
    } else if (c == '\'') {
      string(start, false);
    } else if (c == '$') {
      dollar(start);
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number(start);
    } else if (OPERATOR_CHARS.indexOf(c) >= 0) {
      operator(start);
    } else if ("()[],;.:".indexOf(c) >= 0) {
      at += c == ':' && (peek(1) == ':' || peek(1) == '=') ? 2 : 1;
      tokens.add(new Token(Token.Kind.SYMBOL, sql.substring(start, at), start, at));
    } else {
      throw new SqlException("a character that begins no token: " + c);
    }
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNameStart(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  }

  private static boolean isNamePart(int c) {
    return isNameStart(c) || isDigit(c) || c == '$';
  }

  private void name(int start) throws SqlException {
    int c = peek(0) | 0x20;
    if (peek(1) == '\'' && (c == 'e' || c == 'b' || c == 'x' || c == 'n')) {
      at++;
      string(start, c == 'e');
      return;
    }
    if (c == 'u' && peek(1) == '&' && (peek(2) == '\'' || peek(2) == '"')) {
      throw new SqlException("a name or string with Unicode escapes");
    }
    while (isNamePart(peek(0))) {
      at++;
    }
    StringBuilder folded = new StringBuilder(at - start);
    for (int i = start; i < at; i++) {
      char one = sql.charAt(i);
      folded.append(one >= 'A' && one <= 'Z' ? (char) (one | 0x20) : one);
    }
    tokens.add(new Token(Token.Kind.WORD, known(folded.toString()), start, at));
  }

  /** As PostgreSQL knows it: longer ones are cut, where a character ends in its encoding. */
  private static String known(String name) throws SqlException {
    if (name.length() <= NAME_BYTES_MAX / 3) {
      return name; // as nearly all are: a character of Java takes three bytes at most
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes <= NAME_BYTES_MAX) {
      return name;
    }
    if (bytes > name.length()) {
      throw new SqlException("a name of more than %d bytes".formatted(NAME_BYTES_MAX));
    }
    return name.substring(0, NAME_BYTES_MAX);
  }

  private void string(int start, boolean escapes) throws SqlException {
    quoted('\'', escapes);
    tokens.add(new Token(Token.Kind.STRING, "", start, at));
  }

  /** What stands in quotes, from the first to the last. */
  private String quoted(char quote, boolean escapes) throws SqlException {
    StringBuilder text = new StringBuilder();
    at++;
    while (true) {
      if (at >= sql.length()) {
        throw new SqlException("unterminated quotes");
      }
      char c = sql.charAt(at++);
      if (c == quote) {
        if (peek(0) != quote) {
          return text.toString();
        }
        at++;
      } else if (c == '\\' && escapes) {
        if (at >= sql.length()) {
          throw new SqlException("unterminated quotes");
        }
        at++;
      }
      text.append(c);
    }
  }

  private void dollar(int start) throws SqlException {
    at++;
    if (isDigit(peek(0))) {
      while (isDigit(peek(0))) {
        at++;
      }
      noJunk();
      tokens.add(new Token(Token.Kind.PARAMETER, sql.substring(start + 1, at), start, at));
      return;
    }
    while (isNamePart(peek(0)) && peek(0) != '$') {
      at++;
    }
    if (peek(0) != '$') {
      throw new SqlException("a $ that begins neither a parameter nor a string");
    }
    at++;
    String tag = sql.substring(start, at);
    int end = sql.indexOf(tag, at);
    if (end < 0) {
      throw new SqlException("unterminated dollar-quoted string");
    }
    at = end + tag.length();
    tokens.add(new Token(Token.Kind.STRING, "", start, at));
  }

  /** PostgreSQL 15 takes neither {@code 0x1F} nor {@code 1_000}. */
  private void number(int start) throws SqlException {
    if (peek(0) == '0' && "xob".indexOf(peek(1) | 0x20) >= 0 && isIn(peek(1), peek(2))) {
      int base = peek(1);
      at += 2;
      digits(base);
      noJunk();
      tokens.add(new Token(Token.Kind.NUMBER, Token.NEWER, start, at));
      return;
    }
    boolean newer = digits('d');
    if (peek(0) == '.') {
      if (peek(1) == '.') {
        throw new SqlException("two dots after a number");
      }
      at++;
      newer |= digits('d');
    }
    int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek(0) | 0x20) == 'e' && isDigit(peek(1 + sign))) {
      at += 1 + sign;
      newer |= digits('d');
    }
    noJunk();
    tokens.add(new Token(Token.Kind.NUMBER, newer ? Token.NEWER : "", start, at));
  }

  /** Takes digits, with an underscore between two of them; whether there was one. */
  private boolean digits(int base) {
    boolean parted = false;
    while (isIn(base, peek(0)) || (peek(0) == '_' && isIn(base, peek(1)))) {
      parted |= peek(0) == '_';
      at++;
    }
    return parted;
  }

  private static boolean isIn(int base, int digit) {
    return switch (base | 0x20) {
      case 'x' -> isDigit(digit) || ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f');
      case 'o' -> digit >= '0' && digit <= '7';
      case 'b' -> digit == '0' || digit == '1';
      default -> isDigit(digit);
    };
  }

  private void noJunk() throws SqlException {
    if (isNamePart(peek(0))) {
      throw new SqlException("trailing junk after a number or parameter");
    }
  }

  private void operator(int start) {
    int end = at;
    while (end < sql.length() && OPERATOR_CHARS.indexOf(sql.charAt(end)) >= 0) {
      boolean comment = sql.startsWith("--", end) || sql.startsWith("/*", end);
      if (comment) {
        break;
      }
      end++;
    }
    String text = sql.substring(start, end);
    boolean friends = text.chars().anyMatch(c -> SIGN_FRIENDS.indexOf(c) >= 0);
    while (!friends && text.length() > 1 && (text.endsWith("+") || text.endsWith("-"))) {
      text = text.substring(0, text.length() - 1);
    }
    at = start + text.length();
    tokens.add(new Token(Token.Kind.OPERATOR, text, start, at));
  }
}
