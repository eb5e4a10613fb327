package io.mgtm.group.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Free addresses on loopback, and waiting with a bound. */
public final class NetMembers {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private NetMembers() {}

  /** Addresses for members. */
  public static List<InetSocketAddress> addresses(int count) {
    return FreePorts.take(count).stream()
        .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .toList();
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + WAIT_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
