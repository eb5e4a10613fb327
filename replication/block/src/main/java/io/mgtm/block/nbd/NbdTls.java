package io.mgtm.block.nbd;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/** How connections are upgraded to TLS, which is demanded then. */
@FunctionalInterface
public interface NbdTls {
  /** No TLS: the option is refused. */
  NbdTls NONE =
      channel -> {
        throw new IllegalStateException("TLS is not set up");
      };

  /** Whether a client must ask for TLS before anything else. */
  default boolean isOn() {
    return this != NONE;
  }

  /**
   * The handler that speaks TLS on {@code channel}, which has sent its acknowledgement in clear.
   */
  ChannelHandler newHandler(Channel channel);
}
