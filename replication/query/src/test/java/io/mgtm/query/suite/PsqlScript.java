package io.mgtm.query.suite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A script of psql in pieces: a statement with its data, or a command of psql each. Cut as psql
 * does (psqlscan.l), so that what it says of a line can be told to be of a piece.
 */
final class PsqlScript {
  private static final Pattern COPY_IN =
      Pattern.compile("(?is)\\s*(--[^\n]*\n\\s*)*copy\\b.*\\bfrom\\s+stdin\\b.*");

  private static final Pattern NO_DATA =
      Pattern.compile(
          "(?i)(--|\\\\[a-z]|(copy|create|insert|select|drop|alter|begin|commit|rollback|set)\\b).*");

  private final List<String> pieces;

  private PsqlScript(List<String> pieces) {
    this.pieces = pieces;
  }

  static PsqlScript parse(String text) {
    List<String> pieces = new ArrayList<>();
    PsqlScanner scanner = new PsqlScanner(text);
    while (scanner.hasNext()) {
      String piece = scanner.next();
      if (COPY_IN.matcher(piece).matches()) {
        piece += data(scanner);
      }
      pieces.add(piece);
    }
    return new PsqlScript(pieces);
  }

  /** What follows COPY, if its data do: a statement that is to fail has none. */
  private static String data(PsqlScanner scanner) {
    int from = scanner.position();
    StringBuilder data = new StringBuilder();
    for (String line = scanner.line(); line != null; line = scanner.line()) {
      data.append('\n').append(line);
      if (line.equals("\\.")) {
        return data.toString();
      }
      if (NO_DATA.matcher(line).matches()) {
        break;
      }
    }
    scanner.goTo(from);
    return "";
  }

  int size() {
    return pieces.size();
  }

  String piece(int number) {
    return pieces.get(number);
  }

  /** The script without some pieces, whose place is kept by a comment. */
  String without(Set<Integer> left) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < pieces.size(); i++) {
      text.append(shown(i, left)).append('\n');
    }
    return text.toString();
  }

  private String shown(int number, Set<Integer> left) {
    return left.contains(number) ? "-- left out" : pieces.get(number);
  }

  /** Which piece begins at which line, counted from 1, of {@link #without} the same pieces. */
  NavigableMap<Integer, Integer> lines(Set<Integer> left) {
    NavigableMap<Integer, Integer> lines = new TreeMap<>();
    int line = 1;
    for (int i = 0; i < pieces.size(); i++) {
      lines.put(line, i);
      line += 1 + Collections.frequency(shown(i, left).chars().boxed().toList(), (int) '\n');
    }
    return lines;
  }
}
