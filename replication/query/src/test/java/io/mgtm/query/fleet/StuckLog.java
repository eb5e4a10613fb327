package io.mgtm.query.fleet;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A log whose owner does nothing for a while, as if nothing of the group were heard there. */
public final class StuckLog {
  private StuckLog() {}

  /** Until the latch is open, or three minutes have passed. Does not wait. */
  public static void until(OrderLog log, CountDownLatch end) {
    log.owner()
        .execute(
            () -> {
              try {
                end.await(180, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }
}
