package io.mgtm.query.sql;

import java.util.List;

/**
 * A command of class {@link StatementClass#TRANSACTION}.
 *
 * @param readOnly of BEGIN: whether the transaction is READ ONLY
 * @param savepoint its name, or null
 */
public record TransactionCommand(Verb verb, boolean readOnly, String savepoint) {
  /** What it does. */
  public enum Verb {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    ROLLBACK_TO,
    /** Two-phase commit, chains, and isolation level SERIALIZABLE. */
    UNSUPPORTED
  }

  /** What a statement of that class says. */
  public static TransactionCommand of(List<Token> tokens) {
    String first = tokens.get(0).text();
    boolean unsupported =
        Token.hasWord(tokens, "serializable")
            || (Token.hasWord(tokens, "chain") && !Token.hasWord(tokens, "no"))
            || Token.hasWord(tokens, "prepared")
            || first.equals("prepare");
    if (unsupported) {
      return new TransactionCommand(Verb.UNSUPPORTED, false, null);
    }
    String last = tokens.get(tokens.size() - 1).text();
    return switch (first) {
      case "begin", "start" ->
          new TransactionCommand(
              Verb.BEGIN, Token.hasWord(tokens, "only") && !Token.hasWord(tokens, "write"), null);
      case "commit", "end" -> new TransactionCommand(Verb.COMMIT, false, null);
      case "savepoint" -> new TransactionCommand(Verb.SAVEPOINT, false, last);
      case "release" -> new TransactionCommand(Verb.RELEASE, false, last);
      default ->
          Token.hasWord(tokens, "to")
              ? new TransactionCommand(Verb.ROLLBACK_TO, false, last)
              : new TransactionCommand(Verb.ROLLBACK, false, null);
    };
  }
}
