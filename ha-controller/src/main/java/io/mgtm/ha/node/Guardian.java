package io.mgtm.ha.node;

import io.mgtm.ha.watchdog.GuardPlan;
import java.util.concurrent.CompletableFuture;

/** The watchdog's process as the controller sees it. Owner thread, which does not wait. */
interface Guardian extends AutoCloseable {

  /**
   * Has the watchdog do these steps once the deadline has passed, in place of those that it had for
   * this hierarchy.
   *
   * @param plan {@link GuardPlan#NOTHING} for nothing any more
   * @param deadlineMs of the node's monotonic clock
   * @param guardMs a watchdog that was not seen for so long does not count, and is replaced
   * @return completed when the watchdog is sure to do it
   */
  CompletableFuture<?> guard(String hierarchy, GuardPlan plan, long deadlineMs, int guardMs);

  /** Does the steps of a hierarchy now. Blocks; any thread. */
  void end(String hierarchy, GuardPlan plan) throws InterruptedException;

  /** Whether an earlier controller of this machine had something in service when this began. */
  boolean hasFormer();

  @Override
  void close();
}
