package io.mgtm.group.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Free addresses on loopback, and waiting with a bound. */
public final class NetMembers {
  private static final int PORT_MIN = 12_000;
  private static final int PORT_MAX = 31_000;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private NetMembers() {}

  /**
   * Addresses whose ports are free, as those above them that a member uses are. They lie below
   * those that the system gives to connections, so that nobody takes one while its member is down.
   */
  public static List<InetSocketAddress> addresses(int count) {
    Set<Integer> taken = new HashSet<>();
    List<InetSocketAddress> found = new ArrayList<>();
    while (found.size() < count) {
      int port = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX);
      List<Integer> ports =
          List.of(
              port,
              port + JGroupsSettings.DETECTION_PORT_OFFSET,
              port + DirectListener.PORT_OFFSET);
      if (Collections.disjoint(taken, ports) && ports.stream().allMatch(NetMembers::isFree)) {
        taken.addAll(ports);
        found.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      }
    }
    return found;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
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
