package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * A COPY FROM STDIN whose data make the same rows at every server: of columns whose types read them
 * alike, where no column is left out that would be computed. Immutable.
 *
 * @param othersSql the text with the table's schema, so that no other table can be meant
 * @param csv whether the data are CSV; else they are text
 * @param clock places, from 0, of the columns whose data may name the moment, as "now" does; none
 *     where the format is binary
 * @param header whether the first line is none of data
 */
public record CopyFrom(
    String othersSql,
    boolean csv,
    byte delimiter,
    byte quote,
    byte escape,
    boolean header,
    Set<Integer> clock) {
  private static final Set<String> IGNORED =
      Set.of("with", "freeze", "true", "false", "on", "off", "null", "as");

  public CopyFrom {
    clock = Set.copyOf(clock);
  }

  /**
   * Reads one.
   *
   * @throws SqlException with why it is none
   */
  static CopyFrom of(Catalogue catalogue, String sql, List<Token> tokens) throws SqlException {
    return new Reader(catalogue, sql, tokens).read();
  }

  /** One reading. */
  private static final class Reader extends TokenReader {
    private final Catalogue catalogue;
    private final String sql;
    private boolean csv;
    private boolean binary;
    private boolean header;
    private byte delimiter;
    private byte quote = '"';
    private byte escape;

    Reader(Catalogue catalogue, String sql, List<Token> tokens) {
      super(tokens, 1);
      this.catalogue = catalogue;
      this.sql = sql;
    }

    CopyFrom read() throws SqlException {
      binary = takeWord("binary");
      Token first = name();
      boolean qualified = takeSymbol(".");
      Token name = qualified ? name() : first;
      Catalogue.Table table = catalogue.table(qualified ? first.text() : null, name.text());
      if (table == null) {
        throw new SqlException("its target is no table that one name alone tells of");
      }
      if (!table.copied()) {
        throw new SqlException("the table has triggers, rules or partitions");
      }
      List<String> columns = columns(table);
      check(table, columns);
      if (!takeWord("from") || !takeWord("stdin")) {
        throw new SqlException("it is no COPY FROM STDIN that is understood");
      }
      options();
      Set<Integer> clock = new TreeSet<>();
      for (int i = 0; i < columns.size() && !binary; i++) {
        if (table.columns().get(columns.get(i)).input() == Catalogue.Input.CLOCK) {
          clock.add(i);
        }
      }
      byte end = delimiter != 0 ? delimiter : (byte) (csv ? ',' : '\t');
      String last = sql.substring(name.start(), tokens.get(tokens.size() - 1).end());
      String others =
          sql.substring(tokens.get(0).start(), first.start())
              + Quoting.name(table.schema())
              + "."
              + last;
      byte escaped = escape != 0 ? escape : quote;
      return new CopyFrom(others, csv, end, quote, escaped, header, clock);
    }

    private List<String> columns(Catalogue.Table table) throws SqlException {
      List<String> columns = new ArrayList<>();
      if (!isSymbol("(")) {
        table.columns().entrySet().stream()
            .filter(entry -> !entry.getValue().generated())
            .forEach(entry -> columns.add(entry.getKey()));
        return columns;
      }
      at++;
      do {
        Token column = name();
        if (!table.columns().containsKey(column.text())) {
          throw new SqlException("the table has no column " + column.text() + " that is known");
        }
        columns.add(column.text());
      } while (takeSymbol(","));
      if (!takeSymbol(")")) {
        throw new SqlException("its columns are not understood");
      }
      return columns;
    }

    private static void check(Catalogue.Table table, List<String> given) throws SqlException {
      for (var entry : table.columns().entrySet()) {
        Catalogue.Column column = entry.getValue();
        boolean in = given.contains(entry.getKey());
        if (in && column.input() == Catalogue.Input.OTHER) {
          throw new SqlException(
              "the type of %s may read data in another way at another server"
                  .formatted(entry.getKey()));
        }
        if (!in && !column.generated() && column.fill() == Catalogue.Fill.COMPUTED) {
          throw new SqlException(
              "each server would compute a value of its own for %s, which is not given"
                  .formatted(entry.getKey()));
        }
      }
    }

    /** Both the list in parentheses and what stood in its place before. */
    private void options() throws SqlException {
      while (!atEnd()) {
        Token token = take();
        if (token.kind() != Token.Kind.WORD) {
          boolean list = token.isSymbol("(") || token.isSymbol(")") || token.isSymbol(",");
          boolean value =
              token.isOperator("*")
                  || token.kind() == Token.Kind.QUOTED
                  || token.kind() == Token.Kind.STRING
                  || token.kind() == Token.Kind.NUMBER;
          if (!list && !value) {
            throw notKnown(token);
          }
          continue;
        }
        switch (token.text()) {
          case "format" -> format();
          case "csv" -> csv = true;
          case "binary" -> binary = true;
          case "header" -> header();
          case "delimiter", "delimiters" -> delimiter = character();
          case "quote" -> quote = noLetter(character());
          case "escape" -> escape = noLetter(character());
          case "force_not_null", "force_null", "force" -> columnsOf();
          default -> ignored(token);
        }
      }
    }

    private void ignored(Token token) throws SqlException {
      if (!IGNORED.contains(token.text())) {
        throw notKnown(token);
      }
    }

    private SqlException notKnown(Token token) {
      return new SqlException(
          "what it would do with %s is not known"
              .formatted(sql.substring(token.start(), token.end())));
    }

    private void format() throws SqlException {
      Token value = take();
      String format = value == null ? "" : sql.substring(value.start(), value.end());
      switch (format.toLowerCase(Locale.ROOT)) {
        case "csv", "'csv'", "\"csv\"" -> csv = true;
        case "binary", "'binary'", "\"binary\"" -> binary = true;
        case "text", "'text'", "\"text\"" -> csv = false;
        default -> throw new SqlException("its format is not understood");
      }
    }

    /** HEADER, HEADER true, HEADER match; with any other value it is not understood. */
    private void header() throws SqlException {
      header = !takeWord("false") && !takeWord("off");
      boolean more = header && (takeWord("true") || takeWord("on") || takeWord("match"));
      boolean over =
          more || atEnd() || isSymbol(",") || isSymbol(")") || peek().kind() == Token.Kind.WORD;
      if (header && !over) {
        throw new SqlException("its HEADER is not understood");
      }
    }

    /** One that is may be a letter of the data as well, by what follows it. */
    private byte noLetter(byte character) throws SqlException {
      if (Character.isLetterOrDigit(character)) {
        throw new SqlException("a quote or escape is a letter or digit");
      }
      return character;
    }

    private byte character() throws SqlException {
      takeWord("as");
      Token value = take();
      String text = value == null ? "" : sql.substring(value.start(), value.end());
      boolean plain = text.length() == 3 && text.charAt(0) == '\'' && text.charAt(2) == '\'';
      if (plain && text.charAt(1) < 0x80) {
        return (byte) text.charAt(1);
      }
      switch (text) {
        case "''''" -> {
          return '\'';
        }
        case "E'\\t'", "e'\\t'" -> {
          return '\t';
        }
        default ->
            throw new SqlException("a delimiter, quote or escape is not one plain character");
      }
    }

    /** FORCE_NULL (a, b), or FORCE NULL a, b: names of columns, which may be any words. */
    private void columnsOf() {
      while (takeWord("not") || takeWord("null")) {
        // Words before the columns.
      }
      if (isSymbol("(")) {
        while (!atEnd() && !isSymbol(")")) {
          at++;
        }
        return;
      }
      do {
        at++;
      } while (takeSymbol(","));
    }

    private Token name() throws SqlException {
      Token name = take();
      if (name == null || !name.isName()) {
        throw new SqlException("its target is not understood");
      }
      return name;
    }
  }
}
