package io.mgtm.block.nbd;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/** Whether and how connections are upgraded to TLS. */
public interface NbdTls {
  /** No TLS: the option is refused. */
  NbdTls NONE =
      new NbdTls() {
        @Override
        public boolean isOffered() {
          return false;
        }

        @Override
        public boolean isRequired() {
          return false;
        }

        @Override
        public ChannelHandler newHandler(Channel channel) {
          throw new IllegalStateException("TLS is not set up");
        }
      };

  /** Whether a client may ask for TLS. */
  boolean isOffered();

  /** Whether a client must ask for TLS before anything else. */
  boolean isRequired();

  /**
   * The handler that speaks TLS on {@code channel}, which has sent its acknowledgement in clear.
   */
  ChannelHandler newHandler(Channel channel);
}
