package io.mgtm.query.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Requests to cancel that are on their way to a server, and what waits until none is. Belongs to a
 * session.
 */
final class Cancels {
  /** After how long it is looked again whether the statement has begun. */
  private static final int AGAIN_MS = 1;

  private final EventLoop loop;
  private final ServerDoor door;
  private final List<Runnable> waiting = new ArrayList<>();
  private int underWay;

  Cancels(EventLoop loop, ServerDoor door) {
    this.loop = loop;
    this.door = door;
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
   * Reaches what the client's statement runs at. Any thread.
   *
   * @param running says where that is, or null; asked on the loop
   */
  Future<?> send(Supplier<Backend> running) {
    Promise<Void> done = loop.newPromise();
    loop.execute(
        () -> {
          Backend at = running.get();
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
      loop.schedule(() -> reach(at, statement, done), AGAIN_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void send(ServerConnection at, Promise<Void> done) {
    underWay++;
    door.cancel(loop, at.server(), at.pid(), at.secret())
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
