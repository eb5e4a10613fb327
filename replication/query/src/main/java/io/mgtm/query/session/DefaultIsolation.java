package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.Statement;

/**
 * The isolation level of transactions that name none. SERIALIZABLE ones are the leader's, also
 * where they read alone, as it alone knows of the others. The leader is asked when a session
 * begins, and when something may have set it. Belongs to a session.
 */
final class DefaultIsolation {
  private static final String SETTING = "default_transaction_isolation";

  private static final String QUESTION = "SELECT pg_catalog.current_setting('" + SETTING + "')";

  private static final String READ_COMMITTED = "read committed";

  private final ReplicatedSession session;

  /** Which leader was asked, or null. */
  private Backend asked;

  private String level = READ_COMMITTED;

  DefaultIsolation(ReplicatedSession session) {
    this.session = session;
  }

  boolean isSerializable() {
    return level.equals("serializable");
  }

  /** Whether each statement sees what was committed before it, in a transaction too. */
  boolean isReadCommitted() {
    return level.startsWith("read ");
  }

  /** SET, RESET or DISCARD was run. */
  void maySet(Statement statement) {
    boolean named =
        statement.tokens().stream().anyMatch(token -> token.text().equalsIgnoreCase(SETTING));
    if (named || statement.endsWith("all") || statement.has("characteristics")) {
      asked = null;
    }
  }

  /** The same of {@code set_config}. */
  void maySet(String name) {
    if (name.equalsIgnoreCase(SETTING)) {
      asked = null;
    }
  }

  /**
   * Asks the leader, unless its answer is known. No transaction may be open.
   *
   * @param then called when it has answered, or is gone
   * @return whether it is asked
   */
  boolean ask(Runnable then) {
    Backend leader = session.set().chosen();
    if (leader == null || leader == asked) {
      return false;
    }
    leader.hold(true);
    leader.ask(
        QUESTION,
        Answer.row(
            (row, error) -> {
              asked = leader;
              level = error == null ? row.get(0) : READ_COMMITTED;
              then.run();
            },
            then));
    return true;
  }
}
