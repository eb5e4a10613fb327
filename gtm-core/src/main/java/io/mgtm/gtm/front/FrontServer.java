package io.mgtm.gtm.front;

import io.mgtm.gtm.config.HostPort;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.net.ListenErrors;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Listens for the XC clients of a front. Any thread but the front's event loop. */
public final class FrontServer {
  private final Channel listener;

  private FrontServer(Channel listener) {
    this.listener = listener;
  }

  /**
   * Begins to accept.
   *
   * @param loop the front's event loop
   * @throws IOException when the address cannot be listened on; the message is an operator's
   *     sentence
   */
  public static FrontServer listen(
      HostPort address, Front front, FrontSettings settings, EventLoop loop) throws IOException {
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
                    front.accept(channel);
                  }
                })
            .bind(ListenErrors.resolve("--listen", address))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw ListenErrors.of("--listen", address, bound.cause());
    }
    return new FrontServer(bound.channel());
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
