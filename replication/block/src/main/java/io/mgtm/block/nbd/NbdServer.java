package io.mgtm.block.nbd;

import io.mgtm.block.wire.BlockChannels;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.block.wire.Newcomers;
import io.mgtm.common.ListenErrors;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Listens for NBD clients at one address. Connections are handled on the event loop that owns the
 * volume.
 */
public final class NbdServer implements AutoCloseable {
  /** Above so many bytes of replies that a client has not taken, its requests wait. */
  static final int UNTAKEN_BYTES_MAX = 8 << 20;

  private final Endpoint endpoint;
  private final Channel channel;

  private NbdServer(Endpoint endpoint, Channel channel) {
    this.endpoint = endpoint;
    this.channel = channel;
  }

  /**
   * Begins to listen.
   *
   * @throws IOException when the address cannot be bound
   */
  public static NbdServer listen(
      Endpoint endpoint, EventLoop owner, NbdExport export, NbdMeter meter, NbdTls tls)
      throws IOException {
    if (endpoint.isUnix()) {
      Files.deleteIfExists(Path.of(endpoint.path()));
    }
    Newcomers newcomers = new Newcomers();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(owner)
            .channel(BlockChannels.serverChannel(endpoint))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel child) {
                    BlockChannels.prepare(child);
                    child
                        .config()
                        .setOption(
                            ChannelOption.WRITE_BUFFER_WATER_MARK,
                            new WriteBufferWaterMark(UNTAKEN_BYTES_MAX / 4, UNTAKEN_BYTES_MAX));
                    child
                        .pipeline()
                        .addLast(
                            "handshake", new NbdHandshakeHandler(export, meter, tls, newcomers));
                  }
                });
    var bound = bootstrap.bind(endpoint.socketAddress()).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw ListenErrors.of("--listen", endpoint, bound.cause());
    }
    return new NbdServer(endpoint, bound.channel());
  }

  /** Where it listens, with the port that the system gave. */
  public Endpoint endpoint() {
    SocketAddress local = channel.localAddress();
    return local instanceof InetSocketAddress bound
        ? new Endpoint(endpoint.host(), bound.getPort(), null, false)
        : endpoint;
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    if (endpoint.isUnix()) {
      Path.of(endpoint.path()).toFile().delete();
    }
  }
}
