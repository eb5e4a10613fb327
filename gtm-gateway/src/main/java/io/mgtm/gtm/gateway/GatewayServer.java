package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.common.ListenErrors;
import io.mgtm.gtm.net.EventLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Listens for the XC clients of a gateway. Any thread but the gateway's event loop. */
public final class GatewayServer {
  private final Channel listener;

  private GatewayServer(Channel listener) {
    this.listener = listener;
  }

  /**
   * Begins to accept.
   *
   * @param loop the gateway's event loop
   * @throws IOException when the address cannot be listened on; the message is an operator's
   *     sentence
   */
  public static GatewayServer listen(
      HostPort address, Gateway gateway, GatewaySettings settings, EventLoop loop)
      throws IOException {
    var bound =
        EventLoops.server(loop, loop)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(
                    settings.outboundBytesMax() / 2, settings.outboundBytesMax()))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    gateway.accept(channel);
                  }
                })
            .bind(ListenErrors.resolve("--listen", address))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw ListenErrors.of("--listen", address, bound.cause());
    }
    return new GatewayServer(bound.channel());
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Accepts nobody any more. */
  public void close() {
    listener.close().awaitUninterruptibly();
  }
}
