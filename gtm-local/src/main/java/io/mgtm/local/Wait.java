package io.mgtm.local;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Waits for what must come. */
public final class Wait {
  private static final int POLL_MS = 20;

  private Wait() {}

  /** Something that becomes true. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  /**
   * Waits until it holds.
   *
   * @param what the end of the sentence "it took too long until"
   * @throws IOException when it does not within {@code secondsMax}
   */
  public static void until(String what, int secondsMax, Condition condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsMax);
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("it took longer than " + secondsMax + " s until " + what);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }
}
