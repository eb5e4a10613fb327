package io.mgtm.gtm.node;

import io.mgtm.gtm.state.GtmState;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the operator, once a minute at most, that gxids will run out. Owner thread. */
final class GxidWarning {
  private static final Logger log = LoggerFactory.getLogger(GxidWarning.class);
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private long nextNanos = System.nanoTime();

  void check(GtmState state) {
    long nowNanos = System.nanoTime();
    if (state.gxidsUntilWarning() > 0 || nowNanos - nextNanos < 0) {
      return;
    }
    nextNanos = nowNanos + INTERVAL_NANOS;
    log.warn(
        "Gxids run out: begins stop after {} more. VACUUM FREEZE every database on every node, then"
            + " tell the GTM the oldest id left with mgtm gtm advance-oldest",
        Math.max(0, state.gxidsUntilStop()));
  }
}
