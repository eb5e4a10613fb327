package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.wire.ErrorFields;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Timeouts that the client has at the leader, by which a commit might fail that is decided, as it
 * might by isolation level SERIALIZABLE. They are not for a commit, which must come to its end once
 * it is decided: before that they are switched off in its transaction. Whether there are any is
 * asked again when something may have set them, and after a second, as servers may reload their
 * configuration. Belongs to a session.
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

  /** At COMMIT, once it is decided, it could still fail there; a role or server may have set it. */
  private static final ErrorFields SERIALIZABLE = UnitOutput.error(Refusal.SERIALIZABLE);

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
   * @param then called when there are none
   * @param refused told of an error, as of one of them that was over
   */
  void off(Backend leader, Runnable then, Consumer<ErrorFields> refused, Runnable lost) {
    if (leader == noneAt && System.nanoTime() - sinceNanos < KNOWN_NANOS) {
      then.run();
      return;
    }
    leader.hold(true);
    leader.ask(
        OFF,
        Answer.row(
            (row, error) -> {
              if (error == null && row.get(1).equals("serializable")) {
                refused.accept(SERIALIZABLE);
              } else if (error == null) {
                noneAt = !set && row.get(0).equals("t") ? leader : null;
                sinceNanos = System.nanoTime();
                then.run();
              } else {
                refused.accept(error);
              }
            },
            lost));
  }
}
