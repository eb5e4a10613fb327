package io.mgtm.query.fleet;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;

/** Whoever touches the log: one task after the other, each seeing what those before it did. */
interface Owner extends Executor {
  /** Runs it soon, perhaps now. Any thread. */
  void run(Runnable task);

  /** A loop that never runs a task within the call that brings it. */
  static Owner of(EventLoop loop) {
    return new Owner() {
      @Override
      public void run(Runnable task) {
        loop.execute(task);
      }

      @Override
      public void execute(Runnable task) {
        loop.execute(task);
      }
    };
  }
}
