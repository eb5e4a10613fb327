package io.mgtm.gtm.gateway;

import java.util.List;

/**
 * How a gateway treats its XC clients.
 *
 * @param connectionsMax clients at once; at most {@link #CONNECTIONS_MAX}
 * @param frameBytesMax the longest request
 * @param outboundBytesMax replies that wait for one client before it is no longer read
 * @param startupMs for a connection's startup packet
 * @param frameMs for the rest of a request that has begun
 * @param outboundMs for a client to take anything at all of the replies that pile up for it
 * @param allow networks as {@code address/bits} that clients may come from; empty allows all
 */
public record GatewaySettings(
    int connectionsMax,
    int frameBytesMax,
    int outboundBytesMax,
    int startupMs,
    int frameMs,
    int outboundMs,
    List<String> allow) {
  /**
   * Backend numbers are 16 bits with a sign; some stay taken while a client's end is on its way.
   */
  public static final int CONNECTIONS_MAX = 30_000;

  public GatewaySettings {
    allow = List.copyOf(allow);
  }
}
