package io.mgtm.query.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.net.InetSocketAddress;

/** A TCP address as people write it: {@code HOST:PORT}, {@code [IPV6]:PORT}. */
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
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    int port = colon < 0 ? -1 : number(text.substring(colon + 1));
    if (host.isEmpty() || (!bracketed && host.indexOf(':') >= 0) || port < 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no address: expected HOST:PORT, with a port from 0 to 65535");
    }
    return new HostPort(host, port);
  }

  private static int number(String text) {
    return text.matches("\\d{1,5}") && Integer.parseInt(text) <= 0xffff
        ? Integer.parseInt(text)
        : -1;
  }

  /** Of an address whose name is looked up. */
  public static HostPort of(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort());
  }

  @JsonValue
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
