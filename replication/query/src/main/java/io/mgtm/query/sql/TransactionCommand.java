package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;

/**
 * A command of class {@link StatementClass#TRANSACTION}.
 *
 * @param readOnly of BEGIN: whether the transaction is READ ONLY
 * @param level of BEGIN: its isolation
 * @param name of a savepoint or of a prepared transaction, or null
 * @param chains whether another transaction begins with it, that is as the one that it ends
 */
public record TransactionCommand(
    Verb verb, boolean readOnly, Level level, String name, boolean chains) {
  /** What it does. */
  public enum Verb {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    ROLLBACK_TO,
    PREPARE,
    COMMIT_PREPARED,
    ROLLBACK_PREPARED,
    /** Names a prepared transaction by other than a plain constant. */
    UNSUPPORTED
  }

  /** An isolation level. */
  public enum Level {
    /** What the session, its role or its server has set. */
    DEFAULT,
    SERIALIZABLE,
    REPEATABLE_READ,
    READ_COMMITTED
  }

  private static final Set<String> ENDS = Set.of("commit", "end", "rollback", "abort");

  private TransactionCommand(Verb verb, String name) {
    this(verb, false, Level.DEFAULT, name, false);
  }

  /** Whether a transaction that it begins is SERIALIZABLE. */
  public boolean isSerializable(boolean byDefault) {
    return level == Level.SERIALIZABLE || (level == Level.DEFAULT && byDefault);
  }

  /** Whether a transaction that it begins is REPEATABLE READ, or more than that. */
  public boolean isRepeatableRead(boolean byDefault) {
    return level == Level.DEFAULT ? byDefault : level != Level.READ_COMMITTED;
  }

  /** What a statement of that class says. */
  public static TransactionCommand of(Statement statement) {
    List<Token> tokens = statement.tokens();
    String first = tokens.get(0).text();
    if (first.equals("prepare")
        || (ENDS.contains(first) && Token.isWordAt(tokens, 1, "prepared"))) {
      return prepared(first, statement);
    }
    boolean chains = Token.hasWord(tokens, "chain") && !Token.hasWord(tokens, "no");
    String last = tokens.get(tokens.size() - 1).text();
    return switch (first) {
      case "begin", "start" ->
          new TransactionCommand(
              Verb.BEGIN,
              Token.hasWord(tokens, "only") && !Token.hasWord(tokens, "write"),
              level(tokens),
              null,
              false);
      case "commit", "end" ->
          new TransactionCommand(Verb.COMMIT, false, Level.DEFAULT, null, chains);
      case "savepoint" -> new TransactionCommand(Verb.SAVEPOINT, last);
      case "release" -> new TransactionCommand(Verb.RELEASE, last);
      default ->
          Token.hasWord(tokens, "to")
              ? new TransactionCommand(Verb.ROLLBACK_TO, last)
              : new TransactionCommand(Verb.ROLLBACK, false, Level.DEFAULT, null, chains);
    };
  }

  private static TransactionCommand prepared(String first, Statement statement) {
    List<Token> tokens = statement.tokens();
    Token last = tokens.get(tokens.size() - 1);
    int start = tokens.get(0).start();
    String name =
        tokens.size() == 3 && last.kind() == Token.Kind.STRING
            ? Quoting.plainValue(
                statement.text().substring(last.start() - start, last.end() - start))
            : null;
    Verb verb =
        switch (first) {
          case "prepare" -> Verb.PREPARE;
          case "commit" -> Verb.COMMIT_PREPARED;
          case "rollback" -> Verb.ROLLBACK_PREPARED;
          default -> Verb.UNSUPPORTED;
        };
    return new TransactionCommand(name == null ? Verb.UNSUPPORTED : verb, name);
  }

  private static Level level(List<Token> tokens) {
    if (Token.hasWord(tokens, "serializable")) {
      return Level.SERIALIZABLE;
    }
    if (Token.hasWord(tokens, "repeatable")) {
      return Level.REPEATABLE_READ;
    }
    return Token.hasWord(tokens, "isolation") ? Level.READ_COMMITTED : Level.DEFAULT;
  }
}
