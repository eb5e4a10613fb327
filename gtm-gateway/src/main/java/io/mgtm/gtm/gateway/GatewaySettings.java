package io.mgtm.gtm.gateway;

import io.mgtm.gtm.net.ClientTimeouts;
import java.util.List;

/**
 * How a gateway treats its XC clients.
 *
 * @param connectionsMax clients at once; at most {@link #CONNECTIONS_MAX}
 * @param frameBytesMax the longest request
 * @param outboundBytesMax replies that wait for one client before it is no longer read
 * @param allow networks as {@code address/bits} that clients may come from; empty allows all
 */
public record GatewaySettings(
    int connectionsMax,
    int frameBytesMax,
    int outboundBytesMax,
    ClientTimeouts timeouts,
    List<String> allow) {
  /**
   * Backend numbers are 16 bits with a sign; some stay taken while a client's end is on its way.
   */
  public static final int CONNECTIONS_MAX = 30_000;

  public GatewaySettings {
    allow = List.copyOf(allow);
  }
}
