package io.mgtm.group.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for members of a group on one machine, to try things out. They lie below those
 * that Linux gives to outgoing connections, which could take one while its member is down.
 */
public final class FreePorts {
  private static final int MIN = 10_000;
  private static final int MAX = 32_000;
  private static final int TRIES = 10_000;

  /** What was given out may not be in use yet. */
  private static final Set<Integer> taken = new HashSet<>();

  private FreePorts() {}

  /**
   * Ports that nobody uses now and that this process was not given before. Any thread.
   *
   * @throws IllegalStateException when there are none
   */
  public static synchronized List<Integer> take(int count) {
    List<Integer> found = new ArrayList<>();
    for (int tries = 0; found.size() < count; tries++) {
      if (tries == TRIES) {
        throw new IllegalStateException(
            "no %d free ports from %d to %d on the loopback address".formatted(count, MIN, MAX));
      }
      int port = ThreadLocalRandom.current().nextInt(MIN, MAX);
      if (!taken.contains(port) && isFree(port)) {
        taken.add(port);
        found.add(port);
      }
    }
    return found;
  }

  /** One of them. */
  public static int takeOne() {
    return take(1).get(0);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
