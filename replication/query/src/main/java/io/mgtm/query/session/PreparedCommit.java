package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.fleet.UnknownCommits;
import io.mgtm.query.wire.ErrorFields;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The leader's part of a COMMIT at isolation level SERIALIZABLE. There COMMIT itself may fail, as
 * what others did meanwhile allows no order of all; so it is prepared before it is decided, when
 * all that may fail has been done, and from then on fails no more (docs/adr/0036). Belongs to a
 * session.
 */
final class PreparedCommit {
  private static final String CANNOT_PREPARE = "0A000";

  private static final String WHY =
      "At isolation level SERIALIZABLE the replicator prepares what has written before it is"
          + " committed. Use REPEATABLE READ for it.";

  /** Its session's own level would take what it notes for a part of what transactions read. */
  private static final String NOTE =
      "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = off; %s;"
          + " COMMIT";

  private final ReplicatedSession session;
  private final Backend leader;
  private final UnknownCommits unknown;
  private final PreparedTransaction transaction;
  private long number;
  private long settled;

  PreparedCommit(ReplicatedSession session, Backend leader) {
    this.session = session;
    this.leader = leader;
    this.unknown = session.shared().positions().unknown();
    this.transaction = PreparedTransaction.at(leader.node());
  }

  /** By which the log knows it. */
  UUID token() {
    return transaction.token();
  }

  /**
   * Prepares the open transaction, and leaves another one open, in which no timeout of the client's
   * holds.
   *
   * @param then called when it is
   * @param refused told why it is not, with a transaction that has failed
   * @param ended told why it is not, with no transaction any more
   * @param lost called when the leader is gone
   */
  void prepare(
      Runnable then, Consumer<ErrorFields> refused, Consumer<ErrorFields> ended, Runnable lost) {
    leader.ask(
        transaction.prepareSql(!session.set().redo().isEmpty(), ServerSet.BEGIN_EFFECTS),
        Answer.of(
            (tag, error, status) -> {
              // Of what comes after it, nothing is needed.
              if (tag != null && !tag.startsWith("SELECT")) {
                then.run();
              } else if (status == 'I') {
                ended.accept(told(error));
              } else {
                refused.accept(told(error));
              }
            },
            () -> {
              rollBackOnceItsBackendIsGone();
              lost.run();
            }));
  }

  private static ErrorFields told(ErrorFields error) {
    boolean why = error.sqlState().equals(CANNOT_PREPARE) && error.hint().isEmpty();
    return why ? error.withHint(WHY) : error.withoutContext();
  }

  private void rollBackOnceItsBackendIsGone() {
    unknown.rollBack(
        leader.node(), session.schema().database(), transaction, leader.connection().pid());
  }

  /**
   * It is not decided, and will not be. Where the session cannot end it, as its role has changed
   * since or a timeout is over, the replicator does.
   */
  void rollBack(Runnable then) {
    leaveOther();
    leader.ask(
        transaction.rollbackSql(),
        Answer.of(
            (tag, error, status) -> {
              if (error == null) {
                then.run();
              } else {
                unknown
                    .rollBack(leader.node(), session.schema().database(), transaction)
                    .thenRun(() -> session.execute(then));
              }
            },
            () -> {
              rollBackOnceItsBackendIsGone();
              then.run();
            }));
  }

  /** What comes next is not waited for. */
  private void leaveOther() {
    leader.ask("ROLLBACK", Answer.of((tag, error, status) -> {}, () -> {}));
  }

  /**
   * Commits what is decided. Where the session cannot, the replicator does.
   *
   * @param entry its number, 0 where nothing was written
   * @param then told whether it has committed; else the leader is out, or has lost it
   */
  void commit(long entry, long settledThen, Consumer<Boolean> then) {
    number = entry;
    settled = settledThen;
    leaveOther();
    leader.ask(
        transaction.commitSql(),
        Answer.of(
            (tag, error, status) -> {
              if (error != null) {
                finish(then);
              } else if (number == 0) {
                then.accept(true);
              } else {
                note(then);
              }
            },
            () -> lost(then)));
  }

  /** Its backend is gone, or its server. */
  private void lost(Consumer<Boolean> then) {
    if (leader.node().isIn()) {
      finish(then);
    } else {
      then.accept(false);
    }
  }

  private void note(Consumer<Boolean> then) {
    leader.ask(
        NOTE.formatted(transaction.noteSql(session.slot().number(), number, settled)),
        Answer.of(
            (tag, error, status) -> {
              if (status == 'E') {
                leader.ask("ROLLBACK", session.failover().unfailing(leader));
              }
              if (error == null) {
                then.accept(true);
              } else {
                finish(then);
              }
            },
            () -> lost(then)));
  }

  private void finish(Consumer<Boolean> then) {
    unknown
        .finish(
            leader.node(),
            session.schema().database(),
            transaction,
            session.slot().number(),
            number,
            settled)
        .thenAccept(done -> session.execute(() -> then.accept(done || number == 0)));
  }
}
