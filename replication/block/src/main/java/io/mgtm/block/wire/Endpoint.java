package io.mgtm.block.wire;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * An address as users write it: {@code HOST:PORT}, {@code [V6]:PORT}, {@code :PORT} for all
 * interfaces, or {@code unix:PATH}.
 *
 * @param host the host, or null for a UNIX socket
 * @param port the port, 0 to be given one
 * @param path the socket's path, or null
 */
public record Endpoint(String host, int port, String path) {
  private static final int UNIX_PATH_BYTES_MAX = 107;

  /**
   * Parses {@code text}.
   *
   * @throws IllegalArgumentException that says what is allowed
   */
  public static Endpoint parse(String text) {
    if (text.startsWith("unix:")) {
      String path = text.substring("unix:".length());
      if (path.isEmpty()
          || path.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > UNIX_PATH_BYTES_MAX) {
        throw new IllegalArgumentException(
            "'" + text + "': a UNIX socket's path has 1 to " + UNIX_PATH_BYTES_MAX + " bytes");
      }
      return new Endpoint(null, 0, path);
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("'" + text + "' is neither HOST:PORT nor unix:PATH");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (port < 0 || port > 65_535) {
        throw new NumberFormatException();
      }
      return new Endpoint(host.isEmpty() ? "0.0.0.0" : host, port, null);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "': the port must be 0 to 65535", e);
    }
  }

  /** Whether it is a UNIX socket. */
  public boolean isUnix() {
    return path != null;
  }

  /** The address for Netty; a host name is resolved now. */
  public SocketAddress socketAddress() {
    return isUnix() ? new DomainSocketAddress(path) : new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return isUnix() ? "unix:" + path : (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
