package io.mgtm.query.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Requests to cancel that are on their way to a server, and what waits until none is. Belongs to a
 * session.
 */
final class Cancels {
  private final EventLoop loop;
  private final ServerDoor door;
  private final List<Runnable> waiting = new ArrayList<>();
  private int underWay;

  Cancels(EventLoop loop, ServerDoor door) {
    this.loop = loop;
    this.door = door;
  }

  boolean areUnderWay() {
    return underWay > 0;
  }

  void whenDone(Runnable task) {
    waiting.add(task);
  }

  /**
   * Reaches what the client's statement runs at. Any thread.
   *
   * @param running says where that is, or null; asked on the loop
   */
  Future<?> send(Supplier<Backend> running) {
    Promise<Void> done = loop.newPromise();
    loop.execute(() -> send(running.get(), done));
    return done;
  }

  private void send(Backend running, Promise<Void> done) {
    if (running == null) {
      done.setSuccess(null);
      return;
    }
    underWay++;
    ServerConnection at = running.connection();
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
