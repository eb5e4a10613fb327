package io.mgtm.block.agent;

import io.mgtm.block.nbd.NbdTls;
import io.mgtm.block.wire.TlsSettings;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.util.function.Function;

/** TLS for NBD clients as it is configured; when it is, it is demanded. */
final class NbdTlsHandlers {
  private NbdTlsHandlers() {}

  static NbdTls of(TlsSettings settings) throws IOException {
    Function<Channel, ChannelHandler> handlers = settings.serverHandlers();
    return new NbdTls() {
      @Override
      public boolean isOffered() {
        return true;
      }

      @Override
      public boolean isRequired() {
        return true;
      }

      @Override
      public ChannelHandler newHandler(Channel channel) {
        return handlers.apply(channel);
      }
    };
  }
}
