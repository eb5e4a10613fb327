package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What {@code PREPARE name (types) AS statement} has prepared: {@code EXECUTE name (values)} is run
 * as the statement with the values in place of its parameters, and so has the class of that.
 * Immutable.
 *
 * @param types of the parameters, as they are written; none where they follow from where they stand
 * @param text of the statement
 */
public record PreparedText(String name, List<String> types, String text, List<Token> tokens) {
  /** Of a statement with its values; parameters may stand in it many times. */
  private static final int LENGTH_MAX = 16 << 20;

  private static final String NO_CONSTANT = "EXECUTE is given constants";

  public PreparedText {
    types = List.copyOf(types);
    tokens = List.copyOf(tokens);
  }

  /**
   * Reads PREPARE.
   *
   * @throws SqlException when it is not understood
   */
  public static PreparedText of(Statement prepare) throws SqlException {
    return new Reader(prepare, 1).prepare();
  }

  /** Which statement EXECUTE, or EXPLAIN of it, names; empty where it names none. */
  public static String nameOf(Statement execute) {
    return execute.word(executeAt(execute.tokens()) + 1);
  }

  private static int executeAt(List<Token> tokens) {
    return Token.find(tokens, 0, "execute");
  }

  /**
   * The statement with what EXECUTE gives for its parameters, behind what EXPLAIN has before it.
   *
   * @throws SqlException when that is not understood, or is not as many values
   */
  public String with(Statement execute) throws SqlException {
    Reader reader = new Reader(execute, executeAt(execute.tokens()) + 1);
    List<Value> values = reader.execute();
    int wanted = types.isEmpty() ? numbers().max().orElse(0) : types.size();
    if (values.size() != wanted) {
      throw new SqlException(
          "wrong number of parameters for prepared statement \"%s\": %d are given, %d expected"
              .formatted(name, values.size(), wanted));
    }
    int start = tokens.get(0).start();
    StringBuilder with = new StringBuilder(reader.explain());
    int copied = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.kind() == Token.Kind.PARAMETER) {
        with.append(text, copied, token.start() - start)
            .append(value(i, values.get(token.parameterIn(text, start) - 1)));
        copied = token.end() - start;
      }
      if (with.length() > LENGTH_MAX) {
        throw new SqlException("with its values it is longer than " + LENGTH_MAX);
      }
    }
    return with.append(text, copied, text.length()).toString();
  }

  /**
   * What stands in place of a parameter: without a declared type a literal of none, so that the
   * type follows from where it stands, as that of the parameter does.
   */
  private String value(int at, Value value) throws SqlException {
    if (!types.isEmpty()) {
      int number = tokens.get(at).parameterIn(text, tokens.get(0).start());
      return "(CAST(%s AS %s))".formatted(value.sql, types.get(number - 1));
    }
    if (value.untyped == null) {
      throw new SqlException(
          "where PREPARE names no types, EXECUTE is given constants without any");
    }
    // Two literals, one after the other, are one.
    return isString(at - 1) || isString(at + 1) ? "(" + value.untyped + ")" : value.untyped;
  }

  private boolean isString(int at) {
    return at >= 0 && at < tokens.size() && tokens.get(at).kind() == Token.Kind.STRING;
  }

  /** Of its parameters, in the order in which they stand; 0 for what is none. */
  private IntStream numbers() {
    return tokens.stream()
        .filter(token -> token.kind() == Token.Kind.PARAMETER)
        .mapToInt(token -> token.parameterIn(text, tokens.get(0).start()));
  }

  /**
   * What EXECUTE gives.
   *
   * @param sql as it is written
   * @param untyped the same as a literal without a type; null where it is cast to one
   */
  private record Value(String sql, String untyped) {}

  /** One reading. */
  private static final class Reader extends TokenReader {
    private final String text;
    private final int start;

    Reader(Statement statement, int at) {
      super(statement.tokens(), at);
      text = statement.text();
      start = tokens.get(0).start();
    }

    private String text(int from, int to) {
      return text.substring(tokens.get(from).start() - start, tokens.get(to - 1).end() - start);
    }

    PreparedText prepare() throws SqlException {
      String name = name();
      List<String> types = new ArrayList<>();
      if (takeSymbol("(")) {
        do {
          types.add(type());
        } while (takeSymbol(","));
        end("a type is not understood");
      }
      if (!takeWord("as") || atEnd() || !isPrepared()) {
        throw new SqlException("this PREPARE is not understood");
      }
      PreparedText prepared =
          new PreparedText(name, types, text(at, tokens.size()), tokens.subList(at, tokens.size()));
      int most = types.isEmpty() ? Integer.MAX_VALUE : types.size();
      if (prepared.numbers().anyMatch(number -> number < 1 || number > most)) {
        throw new SqlException("it has a parameter that is not declared, or none");
      }
      return prepared;
    }

    /** Of a list in parentheses. */
    private void end(String orElse) throws SqlException {
      if (!takeSymbol(")")) {
        throw new SqlException(orElse);
      }
    }

    private boolean isPrepared() {
      Token first = peek();
      return first.isWord("select")
          || first.isWord("with")
          || first.isWord("values")
          || first.isWord("table")
          || first.isSymbol("(")
          || first.isWord("insert")
          || first.isWord("update")
          || first.isWord("delete")
          || first.isWord("merge");
    }

    List<Value> execute() throws SqlException {
      name();
      List<Value> values = new ArrayList<>();
      if (takeSymbol("(")) {
        do {
          values.add(value());
        } while (takeSymbol(","));
        end(NO_CONSTANT);
      }
      if (!atEnd()) {
        throw new SqlException("this EXECUTE is not understood");
      }
      return values;
    }

    /** What stands before EXECUTE. */
    String explain() {
      return text.substring(0, tokens.get(executeAt(tokens)).start() - start);
    }

    private String name() throws SqlException {
      Token name = take();
      if (name == null || !name.isName()) {
        throw new SqlException("the name of what is prepared is missing");
      }
      return name.text();
    }

    /**
     * {@code schema.name(10, 2)[]}, of one word or more.
     *
     * @return without what limits its values, as PREPARE takes none of it
     */
    private String type() throws SqlException {
      String name = typeName();
      boolean limited = takeSymbol("(");
      while (limited && !isSymbol(")") && take() != null) {
        // How many digits or characters.
      }
      if (limited && !takeSymbol(")")) {
        throw new SqlException("a type is not understood");
      }
      StringBuilder type = new StringBuilder(name);
      int from = at;
      if (takeWord("with") || takeWord("without")) {
        takeWord("time");
        takeWord("zone");
        type.append(' ').append(text(from, at));
      }
      while (takeSymbol("[")) {
        takeIf(peek() != null && peek().kind() == Token.Kind.NUMBER);
        if (!takeSymbol("]")) {
          throw new SqlException("a type is not understood");
        }
        type.append("[]");
      }
      return type.toString();
    }

    /** By itself a key word stands for a type of one character or bit, or has its own limits. */
    private String typeName() throws SqlException {
      int from = at;
      while (peek() != null
          && (peek().isName() || isSymbol("."))
          && !peek().isWord("with")
          && !peek().isWord("without")) {
        at++;
      }
      if (at == from) {
        throw new SqlException("a type is not understood");
      }
      Token first = tokens.get(from);
      boolean varying = tokens.get(at - 1).isWord("varying");
      boolean characters =
          first.isWord("char")
              || first.isWord("character")
              || first.isWord("nchar")
              || first.isWord("national");
      if (first.isWord("interval")) {
        return "interval";
      } else if (characters) {
        return varying ? "varchar" : "pg_catalog.bpchar";
      } else if (first.isWord("bit")) {
        return varying ? "varbit" : "pg_catalog.\"bit\"";
      }
      return text(from, at);
    }

    /** A constant, cast to types or not: it is the same wherever it stands, and how often. */
    private Value value() throws SqlException {
      int from = at;
      boolean signed = takeOperator("-") || takeOperator("+");
      Token first = take();
      boolean number = first != null && first.kind() == Token.Kind.NUMBER;
      boolean string = first != null && !signed && first.kind() == Token.Kind.STRING;
      boolean word =
          first != null
              && !signed
              && (first.isWord("null") || first.isWord("true") || first.isWord("false"));
      if (!number && !string && !word) {
        throw new SqlException(NO_CONSTANT);
      }
      String constant = text(from, at);
      boolean quoted = string || first.isWord("null");
      String untyped = quoted ? constant : "'" + constant.replaceAll("\\s", "") + "'";
      int end = at;
      while (takeSymbol("::")) {
        type();
      }
      return new Value(text(from, at), at == end ? untyped : null);
    }
  }
}
