package io.mgtm.query.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A call of {@code set_config}. Immutable.
 *
 * @param local whether it ends with the transaction; as SQL reads it
 * @param ifKnown whether a server that does not know the setting is to do without
 */
public record Setting(Argument name, Argument value, Argument local, boolean ifKnown) {
  /** Why a call is not understood. */
  static final String NOT_PLAIN = "set_config stands among other things";

  /**
   * What is given to it.
   *
   * @param sql as it is written; null of a parameter
   * @param value null for NULL, for a string with escapes, and for a parameter
   * @param parameter its number from 1, or 0
   */
  public record Argument(String sql, String value, int parameter) {
    /** With these parameters of the statement, null for NULL: as SQL. */
    public String sql(List<String> parameters) {
      if (parameter == 0) {
        return sql;
      }
      String given = value(parameters);
      return given == null ? "NULL" : Quoting.literal(given);
    }

    /** The same as a value; null for what is not known. */
    public String value(List<String> parameters) {
      return parameter == 0 ? value : parameters.get(parameter - 1);
    }
  }

  /** Whether a statement with so many parameters has all of its own. */
  public boolean isGiven(int parameters) {
    return Stream.of(name, value, local).allMatch(one -> one.parameter() <= parameters);
  }

  /** The same call with these parameters of the statement; a binary one may be a Boolean. */
  public String sql(List<String> parameters) {
    String ends = local.sql(parameters).replace("\u0000", "false").replace("\u0001", "true");
    String setting = name.sql(parameters);
    String to = value.sql(parameters);
    return ifKnown
        ? "(SELECT pg_catalog.set_config(name, %s, %s) FROM pg_catalog.pg_settings WHERE name = %s)"
            .formatted(to, ends, setting)
        : "pg_catalog.set_config(%s, %s, %s)".formatted(setting, to, ends);
  }

  /**
   * The calls of a query that does nothing else, as SET does not; {@code current_setting} may stand
   * beside it. Empty where it is none. The same for statements that differ in constants.
   *
   * <pre>
   * SELECT pg_catalog.set_config('search_path', '', false)
   * SELECT current_setting('jit') AS cur, set_config('jit', $1, false) AS new
   * SELECT set_config(name, 'view', false) FROM pg_settings WHERE name = 'restrict_nonsystem_relation_kind'
   * </pre>
   *
   * @param text of the statement
   */
  static List<Setting> of(String text, List<Token> tokens) {
    return new Reader(text, tokens).read();
  }

  /**
   * The value that SET gives a setting.
   *
   * @param text of the statement
   * @return null where it is not one constant, as it is written
   */
  static String value(String text, List<Token> tokens, String name) {
    Reader reader = new Reader(text, tokens);
    return reader.takesSet(name) ? reader.valueOf(reader.tokens.get(reader.at - 1)) : null;
  }

  /** One reading. */
  private static final class Reader extends TokenReader {
    private final String text;
    private final List<Setting> calls = new ArrayList<>();

    Reader(String text, List<Token> tokens) {
      super(tokens, 0);
      this.text = text;
    }

    private String sqlOf(Token token) {
      int start = tokens.get(0).start();
      return text.substring(token.start() - start, token.end() - start);
    }

    /** Of a constant; null for NULL, and a string with escapes. */
    private String valueOf(Token token) {
      String sql = sqlOf(token);
      if (token.kind() != Token.Kind.STRING) {
        return token.isWord("null") ? null : sql;
      }
      return Quoting.plainValue(sql);
    }

    List<Setting> read() {
      boolean whole = takeWord("select");
      while (whole && takesItem()) {
        if (!takeSymbol(",")) {
          boolean named = calls.stream().allMatch(one -> one.name() != null);
          return atEnd() && named ? calls : ofKnown();
        }
      }
      return List.of();
    }

    /** FROM pg_settings WHERE name = a constant. */
    private List<Setting> ofKnown() {
      boolean from = calls.size() == 1 && calls.get(0).name() == null && takeWord("from");
      boolean schema = from && takeWord("pg_catalog");
      boolean of =
          from
              && (!schema || takeSymbol("."))
              && takeWord("pg_settings")
              && takeWord("where")
              && takeWord("name")
              && takeOperator("=");
      List<Argument> constant = new ArrayList<>();
      return of && takesArgument(constant) && atEnd()
          ? List.of(new Setting(constant.get(0), calls.get(0).value(), calls.get(0).local(), true))
          : List.of();
    }

    private boolean takesItem() {
      boolean named = !takeWord("pg_catalog") || takeSymbol(".");
      boolean sets = named && takeWord("set_config");
      boolean taken = (sets || (named && takeWord("current_setting"))) && takesArguments(sets);
      boolean as = taken && takeWord("as");
      return taken && (takeIf(peek() != null && peek().isName() && !peek().isWord("from")) || !as);
    }

    private boolean takesArguments(boolean sets) {
      List<Argument> arguments = new ArrayList<>();
      boolean taken = takeSymbol("(");
      do {
        boolean column = sets && arguments.isEmpty() && takeWord("name");
        taken = taken && (column ? arguments.add(null) : takesArgument(arguments));
      } while (taken && takeSymbol(","));
      if (sets && arguments.size() == 3) {
        calls.add(new Setting(arguments.get(0), arguments.get(1), arguments.get(2), false));
      }
      return taken && takeSymbol(")") && (!sets || arguments.size() == 3);
    }

    private boolean takesArgument(List<Argument> arguments) {
      Token token = take();
      if (token == null) {
        return false;
      }
      int number = token.parameterIn(text, tokens.get(0).start());
      boolean constant =
          token.kind() == Token.Kind.STRING
              || token.isWord("true")
              || token.isWord("false")
              || token.isWord("null");
      if (number > 0) {
        arguments.add(new Argument(null, null, number));
      } else if (constant) {
        arguments.add(new Argument(sqlOf(token), valueOf(token), 0));
      }
      boolean cast = true;
      while (cast && takeSymbol("::")) {
        cast = takeWord("text") || takeWord("varchar") || takeWord("bool") || takeWord("boolean");
      }
      return (number > 0 || constant) && cast;
    }

    boolean takesSet(String name) {
      boolean set = takeWord("set");
      if (!takeWord("session")) {
        takeWord("local");
      }
      boolean named =
          set && peek() != null && peek().isName() && take().text().equalsIgnoreCase(name);
      boolean to = named && (takeWord("to") || takeOperator("="));
      return to && take() != null && atEnd();
    }
  }
}
