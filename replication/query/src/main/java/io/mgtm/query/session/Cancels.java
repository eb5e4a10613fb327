package io.mgtm.query.session;

import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests to cancel that are on their way to a server, and what waits until none is. Belongs to a
 * session.
 */
final class Cancels {
  /** As a server says it. */
  static final ErrorFields CANCELED =
      ErrorFields.error("57014", "canceling statement due to user request");

  private final ReplicatedSession session;
  private final List<Runnable> waiting = new ArrayList<>();
  private int underWay;

  Cancels(ReplicatedSession session) {
    this.session = session;
  }

  /** Runs it once none is under way, which may be at once. */
  void whenNone(Runnable task) {
    if (underWay == 0) {
      task.run();
    } else {
      waiting.add(task);
    }
  }

  /**
   * Reaches the client's statement where it runs, or waits for its turn or the schema. Any thread.
   */
  Future<?> send() {
    Promise<Void> done = session.loop().newPromise();
    session.execute(
        () -> {
          if (session.turn().isWaiting()) {
            session.turn().end();
            session.unit().fail(CANCELED);
          } else if (session.schema().isWaiting()) {
            session.schema().unlock();
            session.unit().fail(CANCELED);
          } else if (session.unit() != null) {
            session.unit().awaited().cancel();
          }
          Backend at = session.running();
          reach(at, at == null ? null : at.clients(), done);
        });
    return done;
  }

  /**
   * Where the server is still to do something of the replicator's, as BEGIN, that comes first: if
   * it were cancelled, the statement would run without it.
   */
  private void reach(Backend at, Relay statement, Promise<Void> done) {
    if (statement == null || at.clients() != statement) {
      done.setSuccess(null);
    } else if (at.isAt(statement)) {
      send(at.connection(), done);
    } else {
      at.whenAnswered(() -> reach(at, statement, done));
    }
  }

  /** What a server that does not lead was given last is undone, and waits there for nothing. */
  void undone(Backend at) {
    at.holdWhileUndone(() -> request(at.connection()));
  }

  /** Takes leave of a server: one that waits for a lock would not see it, and keep what it has. */
  void leave(Backend at) {
    if (at.isInTransaction() && !at.isIdle()) {
      request(at.connection());
    }
    at.close();
  }

  private Future<?> request(ServerConnection at) {
    return session.shared().door().cancel(session.loop(), at.server(), at.pid(), at.secret());
  }

  private void send(ServerConnection at, Promise<Void> done) {
    underWay++;
    request(at)
        .addListener(
            taken -> {
              underWay--;
              done.setSuccess(null);
              if (underWay == 0) {
                List<Runnable> all = List.copyOf(waiting);
                waiting.clear();
                all.forEach(Runnable::run);
              }
            });
  }
}
