package io.mgtm.query.fleet;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other, each seeing what those before it did: on the thread that brings
 * one while none runs, so that nobody has to be woken for it. Any thread.
 */
final class Turns implements Owner {
  private static final Logger log = LoggerFactory.getLogger(Turns.class);

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final Executor later;

  /**
   * No task runs yet.
   *
   * @param later runs what {@link #execute} was given while none ran
   */
  Turns(Executor later) {
    this.later = later;
  }

  /** Runs it now, or after those that wait; on this thread, or on that which runs them. */
  @Override
  public void run(Runnable task) {
    waiting.add(task);
    if (count.getAndIncrement() == 0) {
      runAll();
    }
  }

  /** Runs it soon, never within this call. */
  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    if (count.getAndIncrement() == 0) {
      later.execute(this::runAll);
    }
  }

  private void runAll() {
    do {
      try {
        waiting.remove().run();
      } catch (RuntimeException e) {
        log.error("A task of the log of commits failed", e);
      }
    } while (count.decrementAndGet() > 0);
  }
}
