package io.mgtm.block.wire;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * An address as users write it: {@code HOST:PORT}, {@code [V6]:PORT}, {@code :PORT} for all
 * interfaces, {@code unix:PATH}, or {@code rdma:HOST:PORT} for links.
 *
 * @param host the host, or null for a UNIX socket
 * @param port the port, 0 to be given one
 * @param path the socket's path, or null
 * @param rdma whether the bytes go by RDMA rather than TCP
 */
public record Endpoint(String host, int port, String path, boolean rdma) {
  private static final String RDMA = "rdma:";
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
      return new Endpoint(null, 0, path, false);
    }
    if (text.startsWith(RDMA)) {
      Endpoint address = parse(text.substring(RDMA.length()));
      if (address.isUnix() || address.rdma || address.host.equals("0.0.0.0")) {
        throw new IllegalArgumentException(
            "'" + text + "': RDMA needs the address of an interface, as in rdma:10.0.0.1:7000");
      }
      return new Endpoint(address.host, address.port, null, true);
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException(
          "'" + text + "' is neither HOST:PORT, unix:PATH nor rdma:HOST:PORT");
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
      return new Endpoint(host.isEmpty() ? "0.0.0.0" : host, port, null, false);
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
    if (isUnix()) {
      return "unix:" + path;
    }
    return (rdma ? RDMA : "") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
