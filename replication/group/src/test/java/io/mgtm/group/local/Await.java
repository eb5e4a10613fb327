package io.mgtm.group.local;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition, within a bound. */
public final class Await {
  private static final long BOUND_S = 30;

  private Await() {}

  /** Fails when it has not come true within {@value #BOUND_S} s. */
  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_S);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        fail("%s has not happened within %d s", what, BOUND_S);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
