package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.fleet.UnknownCommits;
import io.mgtm.query.wire.ErrorFields;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What a session has a server prepare, and its end there. All that may fail has been done then: to
 * commit it fails no more (docs/adr/0036, 0037). Where the session cannot end it, as its role has
 * changed since, a timeout is over, or its backend is gone, the replicator does. Belongs to a
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
  private final Node node;

  /** The session's there; null where it has none. */
  private final Backend backend;

  private final UnknownCommits unknown;
  private final PreparedTransaction transaction;

  /** Whether another transaction is open there, in which no timeout of the client's holds. */
  private boolean otherOpen;

  private long number;
  private long settled;

  /** One that is not prepared yet, or was by another session, which may have no backend there. */
  PreparedCommit(
      ReplicatedSession session, Node node, Backend backend, PreparedTransaction transaction) {
    this.session = session;
    this.node = node;
    this.backend = backend;
    this.unknown = session.shared().positions().unknown();
    this.transaction = transaction;
  }

  /**
   * Prepares the open transaction of a server that does not lead.
   *
   * @param end told of it as of COMMIT
   */
  static void prepare(Backend at, PreparedTransaction one, Answer.End end, Runnable lost) {
    at.ask(
        one.prepareSql(true),
        Answer.of(
            (tag, error, status) -> {
              if (status == 'I') {
                end.done(error == null ? "COMMIT" : tag, error, status);
              } else {
                at.ask("ROLLBACK", Answer.of((t, e, now) -> end.done(tag, error, now), lost));
              }
            },
            lost));
  }

  /** By which the log knows it. */
  UUID token() {
    return transaction.token();
  }

  /**
   * Prepares the open transaction, and leaves another one open, in which no timeout of the client's
   * holds.
   *
   * @param writes whether it has an entry
   * @param then called when it is
   * @param refused told why it is not, with a transaction that has failed
   * @param ended told why it is not, with no transaction any more
   * @param lost called when the server is gone
   */
  void prepare(
      boolean writes,
      Runnable then,
      Consumer<ErrorFields> refused,
      Consumer<ErrorFields> ended,
      Runnable lost) {
    backend.ask(
        transaction.prepareSql(writes) + "; " + ServerSet.BEGIN_EFFECTS,
        Answer.of(
            (tag, error, status) -> {
              // Of what comes after it, nothing is needed.
              if (tag != null && !tag.startsWith("SELECT")) {
                otherOpen = true;
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

  private ErrorFields told(ErrorFields error) {
    boolean why =
        transaction.isOwn() && error.sqlState().equals(CANNOT_PREPARE) && error.hint().isEmpty();
    return why ? error.withHint(WHY) : error.withoutContext();
  }

  private void rollBackOnceItsBackendIsGone() {
    unknown.rollBack(node, session.schema().database(), transaction, backend.connection().pid());
  }

  /** Ends the transaction that is open beside it; that is not waited for. */
  void leaveOther() {
    if (otherOpen) {
      otherOpen = false;
      backend.ask("ROLLBACK", Answer.of((tag, error, status) -> {}, () -> {}));
    }
  }

  /**
   * Rolls it back.
   *
   * @param then told whether it is; else the server is out, or another replicator orders
   */
  void rollBack(Consumer<Boolean> then) {
    if (backend == null) {
      finishRollback(then);
      return;
    }
    leaveOther();
    backend.ask(
        transaction.rollbackSql(),
        Answer.of(
            (tag, error, status) -> {
              if (error == null) {
                then.accept(true);
              } else {
                finishRollback(then);
              }
            },
            () -> lost(() -> finishRollback(then), then)));
  }

  private void finishRollback(Consumer<Boolean> then) {
    tell(unknown.rollBack(node, session.schema().database(), transaction), then);
  }

  /**
   * Commits what is decided.
   *
   * @param entry its number, 0 where nothing was written
   * @param then told whether it has committed; else the server is out, or has lost it
   */
  void commit(long entry, long settledThen, Consumer<Boolean> then) {
    number = entry;
    settled = settledThen;
    if (backend == null) {
      finish(then);
      return;
    }
    leaveOther();
    backend.ask(
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
            () -> lost(() -> finish(then), then)));
  }

  /** Its backend is gone, or its server. */
  private void lost(Runnable finish, Consumer<Boolean> then) {
    if (node.isIn()) {
      finish.run();
    } else {
      then.accept(false);
    }
  }

  private void note(Consumer<Boolean> then) {
    backend.ask(
        NOTE.formatted(transaction.noteSql(session.slot().number(), number, settled)),
        Answer.of(
            (tag, error, status) -> {
              if (status == 'E') {
                backend.ask("ROLLBACK", session.failover().unfailing(backend));
              }
              if (error == null) {
                then.accept(true);
              } else {
                finish(then);
              }
            },
            () -> lost(() -> finish(then), then)));
  }

  private void finish(Consumer<Boolean> then) {
    CompletableFuture<Boolean> finished =
        unknown.finish(
            node,
            session.schema().database(),
            transaction,
            session.slot().number(),
            number,
            settled);
    tell(finished.thenApply(done -> done || number == 0), then);
  }

  private void tell(CompletableFuture<Boolean> what, Consumer<Boolean> then) {
    what.thenAccept(done -> session.execute(() -> then.accept(done)));
  }
}
