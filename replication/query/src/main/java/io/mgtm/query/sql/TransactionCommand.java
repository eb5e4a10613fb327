package io.mgtm.query.sql;

import java.util.List;

/**
 * A command of class {@link StatementClass#TRANSACTION}.
 *
 * @param readOnly of BEGIN: whether the transaction is READ ONLY
 * @param level of BEGIN: its isolation
 * @param savepoint its name, or null
 */
public record TransactionCommand(Verb verb, boolean readOnly, Level level, String savepoint) {
  /** What it does. */
  public enum Verb {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    ROLLBACK_TO,
    /** Two-phase commit and chains. */
    UNSUPPORTED
  }

  /** An isolation level. */
  public enum Level {
    /** What the session, its role or its server has set. */
    DEFAULT,
    SERIALIZABLE,
    OTHER
  }

  private TransactionCommand(Verb verb, String savepoint) {
    this(verb, false, Level.DEFAULT, savepoint);
  }

  /** Whether a transaction that it begins is SERIALIZABLE. */
  public boolean isSerializable(boolean byDefault) {
    return level == Level.SERIALIZABLE || (level == Level.DEFAULT && byDefault);
  }

  /** What a statement of that class says. */
  public static TransactionCommand of(List<Token> tokens) {
    String first = tokens.get(0).text();
    boolean unsupported =
        (Token.hasWord(tokens, "chain") && !Token.hasWord(tokens, "no"))
            || Token.hasWord(tokens, "prepared")
            || first.equals("prepare");
    if (unsupported) {
      return new TransactionCommand(Verb.UNSUPPORTED, null);
    }
    String last = tokens.get(tokens.size() - 1).text();
    return switch (first) {
      case "begin", "start" ->
          new TransactionCommand(
              Verb.BEGIN,
              Token.hasWord(tokens, "only") && !Token.hasWord(tokens, "write"),
              level(tokens),
              null);
      case "commit", "end" -> new TransactionCommand(Verb.COMMIT, null);
      case "savepoint" -> new TransactionCommand(Verb.SAVEPOINT, last);
      case "release" -> new TransactionCommand(Verb.RELEASE, last);
      default ->
          Token.hasWord(tokens, "to")
              ? new TransactionCommand(Verb.ROLLBACK_TO, last)
              : new TransactionCommand(Verb.ROLLBACK, null);
    };
  }

  private static Level level(List<Token> tokens) {
    if (Token.hasWord(tokens, "serializable")) {
      return Level.SERIALIZABLE;
    }
    return Token.hasWord(tokens, "isolation") ? Level.OTHER : Level.DEFAULT;
  }
}
