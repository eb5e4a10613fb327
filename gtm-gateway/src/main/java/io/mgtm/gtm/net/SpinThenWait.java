package io.mgtm.gtm.net;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Looks for events for a short time before an event loop sleeps. A client that sends its next
 * request at once then finds the loop awake, and both processors are spared a sleep and a wake-up,
 * which take longer than the request. At most one such look goes before a sleep, so that an idle
 * loop costs nothing; and none for a while after looks that found nothing or were themselves
 * interrupted, since then there is something better to do with the processor. The loop's thread.
 */
final class SpinThenWait implements SelectStrategy {
  /** After so many looks in a row that found nothing, looking is not worth it. */
  private static final int VAIN_MAX = 8;

  /** So many sleeps are taken at once then. */
  private static final int PAUSE = 256;

  private final long spinNanos;
  private final LongSupplier nanoTime;
  private int vain;
  private int pause;

  /**
   * @param spinNanos how long to look
   * @param nanoTime the clock
   */
  SpinThenWait(long spinNanos, LongSupplier nanoTime) {
    this.spinNanos = spinNanos;
    this.nanoTime = nanoTime;
  }

  @Override
  public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
    if (hasTasks) {
      return selectNow.get();
    }
    if (pause > 0) {
      pause--;
      return SelectStrategy.SELECT;
    }
    return look(selectNow);
  }

  private int look(IntSupplier selectNow) throws Exception {
    long start = nanoTime.getAsLong();
    long elapsed;
    do {
      int events = selectNow.get();
      if (events > 0) {
        vain = 0;
        return events;
      }
      Thread.onSpinWait();
      elapsed = nanoTime.getAsLong() - start;
    } while (elapsed < spinNanos);
    // Twice the time: somebody else ran on this processor meanwhile.
    vain += elapsed > 2 * spinNanos ? VAIN_MAX : 1;
    if (vain >= VAIN_MAX) {
      vain = 0;
      pause = PAUSE;
    }
    return SelectStrategy.SELECT;
  }
}
