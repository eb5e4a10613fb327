package io.mgtm.common;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.net.InetSocketAddress;

/**
 * A TCP address as people write it: {@code HOST:PORT}, {@code [IPV6]:PORT}.
 *
 * @param port 0 lets the system choose
 */
public record HostPort(String host, int port) {

  /**
   * Reads {@code text}.
   *
   * @throws IllegalArgumentException when it is no address; the message says what is expected
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw bad(text);
    }
    if (host.isEmpty()) {
      throw bad(text);
    }
    int port;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException e) {
      throw bad(text);
    }
    if (port < 0 || port > 0xffff) {
      throw bad(text);
    }
    return new HostPort(host, port);
  }

  /** Of an address whose name is looked up. */
  public static HostPort of(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort());
  }

  private static IllegalArgumentException bad(String text) {
    return new IllegalArgumentException(
        "\"" + text + "\" is no address: expected HOST:PORT, with a port from 0 to 65535");
  }

  /** The address, its name looked up now. */
  public InetSocketAddress resolve() {
    return new InetSocketAddress(host, port);
  }

  @JsonValue
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
