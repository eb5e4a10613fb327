package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.TransactionCommand;
import io.mgtm.query.wire.ErrorFields;

/**
 * What a session does when a server breaks or is put out: it goes on at the others, and the client
 * is told where that has cost it a transaction. Belongs to the session.
 */
final class Failover {
  private final ReplicatedSession session;
  private final ServerSet set;
  private ErrorFields pending;

  /** Whether the transaction that has failed is another in the place of the client's. */
  private boolean moved;

  Failover(ReplicatedSession session) {
    this.session = session;
    this.set = session.set();
  }

  /** What was to be told to the client at its next statement, unless that ends the transaction. */
  ErrorFields takePending(Segment segment) {
    ErrorFields told = pending;
    pending = null;
    boolean rollback =
        segment.kind() == Segment.Kind.CONTROL
            && segment.control().verb() == TransactionCommand.Verb.ROLLBACK;
    return rollback ? null : told;
  }

  /** Another has taken the place of the client's transaction, or that is over. */
  void setMoved(boolean is) {
    moved = is;
  }

  /** Whether what the client's transaction was is known to no server any more. */
  boolean isMoved() {
    return moved;
  }

  /** A connection has ended, and its server is not known to be out. */
  void broken(Backend backend) {
    if (!set.all().contains(backend)) {
      backend.fail(); // It has not entered, or another has taken its place.
      return;
    }
    session
        .shared()
        .fleet()
        .suspect(backend.node())
        .thenAccept(out -> session.execute(() -> afterProbe(backend, out)));
  }

  private void afterProbe(Backend backend, boolean out) {
    if (backend.isGone()) {
      return;
    }
    if (out) {
      fail(backend);
      return;
    }
    boolean committing = session.isCommitting();
    if (committing && set.home() != null && backend != set.home()) {
      session
          .shared()
          .fleet()
          .eject(backend.node(), "a backend ended in COMMIT: " + backend.lastWords());
    }
    if (committing || session.isEnded()) {
      backend.fail();
    }
    if (backend.node().isIn()) {
      ended(backend);
    }
  }

  /** One has ended by itself, as when its client was idle for too long, and its server is in. */
  void ended(Backend backend) {
    String how = "the backend at %s ended: %s".formatted(backend.node(), backend.lastWords());
    ErrorFields idle = backend.idleTimeout();
    session.end(idle == null ? ErrorFields.fatal("57P01", how) : idle.withoutContext());
  }

  /** A server was put out, or does not come in. */
  void serverOut(Node node) {
    if (set.keepsAt(node)) {
      session.end(node.lost());
    }
    session.late().forget(node);
    set.all().stream().filter(b -> b.node() == node).forEach(this::fail);
  }

  private void fail(Backend backend) {
    UnitRun ran = session.unit();
    boolean unheard = set.home() == backend && (ran == null || ran.isWaiting());
    backend.fail();
    UnitRun unit =
        session.unit(); // again: what was open there has been told, and may have ended it
    if (unheard && !session.isEnded()) {
      pending = backend.node().moved();
      if (unit == null) {
        set.moveFailed(() -> {});
      } else {
        unit.lost(backend);
      }
    }
    // Its connection, which took nothing any more, held up the client.
    session.updateReading();
  }

  /** Whether temporary tables are gone that a statement may mean, which ends the session. */
  boolean hasLostTemporaries(Backend runsAt) {
    Node lost = session.schema().temporaries().lostBy(runsAt);
    if (lost != null) {
      session.end(lost.lost());
    }
    return lost != null;
  }

  /** The server that was to hold the failed transaction is out as well. */
  void homeLost(Runnable then) {
    if (!session.isEnded()) {
      set.moveFailed(then);
    }
  }

  /** The leader is a server that this session has no connection to. */
  void stale() {
    session.end(
        ErrorFields.fatal("57P01", "a server came back, and this session has no connection to it")
            .withHint("Connect again."));
  }

  /** For a request of the replicator's own that a server in order does not refuse. */
  Answer unfailing(Backend backend) {
    return Answer.of(
        (tag, error, status) -> {
          if (error != null) {
            session.end(
                ErrorFields.fatal(
                    error.sqlState(), "the server at " + backend.node() + ": " + error.message()));
          }
        },
        () -> {});
  }
}
