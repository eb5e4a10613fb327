package io.mgtm.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A loopback address that no other process uses, and ports of it, for servers whose addresses must
 * be known before they listen or stay theirs while they are down. Test runs side by side do not
 * meet there, nor does the kernel give these ports to outgoing connections. Any thread.
 */
public final class OwnAddress {
  /** An address of 127.0.0.0/8 that follows from this process's id. */
  public static final String HOST = host(ProcessHandle.current().pid());

  private static final int PORT_MIN = 10_000;
  private static final int PORT_MAX = 32_000;

  /** With a stack of its own a member of a group listens on the port 100 above its own as well. */
  private static final int ABOVE = 100;

  private static final int BLOCKS = (PORT_MAX - PORT_MIN) / (3 * ABOVE);

  /** Processes begin at different ports, for what listens on all addresses nevertheless. */
  private static final AtomicInteger given =
      new AtomicInteger((int) (ProcessHandle.current().pid() % BLOCKS) * ABOVE);

  private static final int GIVEN_MAX = given.get() + BLOCKS * ABOVE;

  private OwnAddress() {}

  /** Process ids have 22 bits at most; those above leave out what fixed addresses use. */
  private static String host(long pid) {
    return "127.%d.%d.%d".formatted(64 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255);
  }

  /** A port that is given once, as are those 100 and 200 above it. */
  public static int port() {
    while (true) {
      int number = given.getAndIncrement();
      if (number >= GIVEN_MAX) {
        throw new IllegalStateException("all ports of " + HOST + " were given out");
      }
      int port = PORT_MIN + number / ABOVE % BLOCKS * 3 * ABOVE + number % ABOVE;
      if (isFree(port) && isFree(port + ABOVE) && isFree(port + 2 * ABOVE)) {
        return port;
      }
    }
  }

  /** The same with the address. */
  public static InetSocketAddress address() {
    return new InetSocketAddress(HOST, port());
  }

  /** As many of them. */
  public static List<InetSocketAddress> addresses(int count) {
    return IntStream.range(0, count).mapToObj(i -> address()).toList();
  }

  /** Some program may listen on all addresses. */
  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
