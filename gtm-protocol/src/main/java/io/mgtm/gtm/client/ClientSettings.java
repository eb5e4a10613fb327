package io.mgtm.gtm.client;

import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.Startup;

/**
 * How a client presents itself, and how long it waits.
 *
 * @param startup what its startup packet says
 * @param connectTimeoutMs for the TCP connection
 * @param readTimeoutMs for the next bytes of a reply
 * @param replyBytesMax the longest reply that is taken
 */
public record ClientSettings(
    Startup startup, int connectTimeoutMs, int readTimeoutMs, int replyBytesMax) {

  public ClientSettings {
    if (connectTimeoutMs <= 0 || readTimeoutMs <= 0 || replyBytesMax <= 0) {
      throw new IllegalArgumentException("timeouts and replyBytesMax must be above 0");
    }
    if (startup.nodeType() == NodeType.PROXY) {
      throw new IllegalArgumentException(
          "a proxy's replies carry connection numbers, which this client does not keep");
    }
  }

  /** A tool that is no node of the cluster, 5 s to connect, 10 s to answer. */
  public static ClientSettings defaults() {
    return named("mgtm");
  }

  /** As {@link #defaults}, with this name in the startup packet. */
  public static ClientSettings named(String nodeName) {
    return new ClientSettings(
        new Startup(nodeName, NodeType.DEFAULT, false),
        5_000,
        10_000,
        ReplyDecoder.FRAME_BYTES_MAX);
  }
}
