package io.mgtm.group.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Free addresses on loopback, and waiting with a bound. */
public final class NetMembers {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private NetMembers() {}

  /** Addresses whose ports are free, as those of the failure detection above them are. */
  public static List<InetSocketAddress> addresses(int count) throws IOException {
    List<InetSocketAddress> found = new ArrayList<>();
    while (found.size() < count) {
      try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          ServerSocket two =
              new ServerSocket(
                  one.getLocalPort() + JGroupsSettings.DETECTION_PORT_OFFSET,
                  1,
                  InetAddress.getLoopbackAddress())) {
        found.add(new InetSocketAddress(two.getInetAddress(), one.getLocalPort()));
      } catch (java.net.BindException | IllegalArgumentException e) {
        continue; // the upper one is taken or does not exist
      }
    }
    return found;
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
