package io.mgtm.gtm.node.connection;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a connection's event loop hands over to the owner, and, where the owner is another thread,
 * how much of it the owner has not taken yet. While that is {@link #BYTES_MAX} or more the socket
 * is not to be read, so that a busy owner is not outrun.
 */
final class HandOver {
  /** What may be on its way to the owner before the socket is no longer read. */
  static final int BYTES_MAX = 128 * 1024;

  private final EventExecutor owner;
  private final Runnable room;
  private final AtomicInteger waiting = new AtomicInteger();

  /** Event loop: what {@link #asOne} collects; null outside of it. */
  private List<Runnable> collected;

  /**
   * For a connection.
   *
   * @param room called on the owner's thread when the socket may be read again
   */
  HandOver(EventExecutor owner, Runnable room) {
    this.owner = owner;
    this.room = room;
  }

  /** Whether the socket is not to be read now. Any thread. */
  boolean isFull() {
    return waiting.get() >= BYTES_MAX;
  }

  /** Event loop: all that {@code read} submits, of {@code bytes}, is one task of the owner. */
  void asOne(int bytes, Runnable read) {
    if (owner.inEventLoop()) {
      read.run();
      return;
    }
    List<Runnable> tasks = new ArrayList<>();
    collected = tasks;
    try {
      read.run();
    } finally {
      collected = null;
      if (!tasks.isEmpty()) {
        submit(bytes, () -> tasks.forEach(Runnable::run));
      }
    }
  }

  /** Event loop: the owner does this, at once where it is the same thread. */
  void submit(Runnable task) {
    if (owner.inEventLoop()) {
      task.run();
    } else if (collected != null) {
      collected.add(task);
    } else {
      owner.execute(task);
    }
  }

  /** Event loop: lets another thread do what {@code bytes} of the socket ask for. */
  void submit(int bytes, Runnable task) {
    waiting.addAndGet(bytes);
    owner.execute(
        () -> {
          int before = waiting.getAndAdd(-bytes);
          if (before >= BYTES_MAX && before - bytes < BYTES_MAX) {
            room.run();
          }
          task.run();
        });
  }
}
