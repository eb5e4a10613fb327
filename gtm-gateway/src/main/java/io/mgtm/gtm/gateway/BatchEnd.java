package io.mgtm.gtm.gateway;

import java.util.concurrent.Executor;

/**
 * Work that is done once at the end of an event loop's batch, however often it is asked for: a loop
 * runs its tasks after it has read from every socket that was ready.
 */
final class BatchEnd implements Runnable {
  private final Executor loop;
  private Runnable work;
  private boolean asked;

  BatchEnd(Executor loop) {
    this.loop = loop;
  }

  void does(Runnable what) {
    work = what;
  }

  /** Asks for it. On the loop. */
  void ask() {
    if (!asked) {
      asked = true;
      loop.execute(this);
    }
  }

  @Override
  public void run() {
    asked = false;
    work.run();
  }
}
