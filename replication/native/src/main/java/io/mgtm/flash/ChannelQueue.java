package io.mgtm.flash;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A queue by the JDK alone: the owner carries out each operation when it submits. */
final class ChannelQueue extends SlotQueue {

  private final Semaphore wakeups = new Semaphore(0);

  ChannelQueue(int depth, Targets targets) {
    super(depth, targets, () -> {});
  }

  @Override
  boolean harvest(int minimum, long timeoutNs) {
    int count = preparedCount;
    preparedCount = 0;
    for (int i = 0; i < count; i++) {
      Slot slot = slot(prepared[i]);
      ((ChannelFile) slot.file).execute(slot);
      complete(slot);
    }
    boolean woken = minimum > 0 && completedCount() == 0 && waitForWakeup(timeoutNs);
    if (minimum > 0) {
      woken |= wakeups.drainPermits() > 0;
    }
    return woken;
  }

  private boolean waitForWakeup(long timeoutNs) {
    try {
      return wakeups.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void wakeup() {
    wakeups.release();
  }
}
