package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.wire.ErrorFields;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Timeouts that the client has at the leader, by which a commit might fail that is decided, as it
 * might by isolation level SERIALIZABLE. They are not for a commit, which must come to its end once
 * it is decided: before that they are switched off in its transaction, and that level is told.
 * Whether there are any is asked again when something may have set them, and after a second, as
 * servers may reload their configuration. Belongs to a session.
 */
final class ClientTimeouts {
  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** First answers whether there are none, and the isolation of the transaction. */
  private static final String OFF =
      "SELECT pg_catalog.current_setting('statement_timeout') OPERATOR(pg_catalog.=) '0'"
          + " AND pg_catalog.current_setting('idle_in_transaction_session_timeout')"
          + " OPERATOR(pg_catalog.=) '0', pg_catalog.current_setting('transaction_isolation');"
          + " SET LOCAL statement_timeout = 0;"
          + " SET LOCAL idle_in_transaction_session_timeout = 0";

  /** Where there were none lately, or null. */
  private Backend noneAt;

  private long sinceNanos;

  /** Whether the open transaction may have set them: then they tell nothing of the next one. */
  private boolean set;

  /** Something may set them, for the open transaction or for longer. */
  void maySet() {
    noneAt = null;
    set = true;
  }

  /** The transaction has ended. */
  void end() {
    set = false;
  }

  /**
   * Switches them off in the open transaction.
   *
   * @param then called when there are none, with whether the transaction is SERIALIZABLE
   * @param refused told of an error, as of one of them that was over
   */
  void off(Backend leader, Consumer<Boolean> then, Consumer<ErrorFields> refused, Runnable lost) {
    if (leader == noneAt && System.nanoTime() - sinceNanos < KNOWN_NANOS) {
      then.accept(false);
      return;
    }
    leader.hold(true);
    leader.ask(
        OFF,
        Answer.row(
            (row, error) -> {
              if (error == null) {
                boolean serializable = row.get(1).equals("serializable");
                noneAt = !set && !serializable && row.get(0).equals("t") ? leader : null;
                sinceNanos = System.nanoTime();
                then.accept(serializable);
              } else {
                refused.accept(error);
              }
            },
            lost));
  }
}
