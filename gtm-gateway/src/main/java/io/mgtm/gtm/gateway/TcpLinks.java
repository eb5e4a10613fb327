package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.net.ReadBuffers;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Opens links and other connections over TCP, from one event loop. */
public final class TcpLinks {
  private static final int CONNECT_MS = 2_000;
  private static final int READ_BYTES = 64 * 1024;

  /** Looks names up, so that a slow name server stops no event loop. */
  private static final ExecutorService NAMES =
      new ThreadPoolExecutor(
          0,
          8,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DefaultThreadFactory("mgtm-names", true));

  private final EventLoop loop;
  private final Identity identity;
  private final ReadBuffers buffers = new ReadBuffers(READ_BYTES);

  /**
   * Who a gateway is.
   *
   * @param secret null when the group has none
   * @param tls null for links in the clear
   */
  public record Identity(String name, GatewayKind kind, LinkSecret secret, SslContext tls) {}

  /** Links of one gateway. */
  public TcpLinks(EventLoop loop, Identity identity) {
    this.loop = loop;
    this.identity = identity;
  }

  /** What opens links to a node. */
  public LinkConnector to(HostPort address) {
    return new LinkConnector() {
      @Override
      public String address() {
        return address.toString();
      }

      private TcpLink last;

      @Override
      public Link connect(LinkListener listener) {
        boolean tooNew = last != null && last.wasVersionRefused();
        int version =
            tooNew ? Math.max(LinkFormat.VERSION_ENTRIES, last.version() - 1) : LinkFormat.VERSION;
        last = open(address, version, listener);
        return last;
      }
    };
  }

  /** Whether links show who the gateway is, or check who the node is. */
  boolean areGuarded() {
    return identity.secret() != null || identity.tls() != null;
  }

  /** Opens one link, on which the gateway speaks a version of the protocol. */
  TcpLink open(HostPort address, int version, LinkListener listener) {
    TcpLink link = new TcpLink(identity, address, version, listener, loop);
    connect(address, bootstrap -> bootstrap.handler(link), link::unreachable);
    return link;
  }

  /**
   * Connects.
   *
   * @param setUp sets the handler
   * @param failed told on the event loop why there is no connection
   */
  void connect(HostPort address, Consumer<Bootstrap> setUp, Consumer<Throwable> failed) {
    Bootstrap bootstrap =
        EventLoops.client(loop)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
            .option(ChannelOption.RECVBUF_ALLOCATOR, buffers);
    setUp.accept(bootstrap);
    if (NetUtil.isValidIpV4Address(address.host()) || NetUtil.isValidIpV6Address(address.host())) {
      connect(bootstrap, address.resolve(), failed);
      return;
    }
    try {
      NAMES.execute(() -> lookUp(bootstrap, address, failed));
    } catch (java.util.concurrent.RejectedExecutionException e) {
      loop.execute(() -> failed.accept(new UnknownHostException("the name server is too slow")));
    }
  }

  private void lookUp(Bootstrap bootstrap, HostPort address, Consumer<Throwable> failed) {
    try {
      InetAddress found = InetAddress.getByName(address.host());
      InetSocketAddress resolved = new InetSocketAddress(found, address.port());
      loop.execute(() -> connect(bootstrap, resolved, failed));
    } catch (UnknownHostException e) {
      loop.execute(() -> failed.accept(new UnknownHostException("the host name is not known")));
    }
  }

  private void connect(Bootstrap bootstrap, InetSocketAddress address, Consumer<Throwable> failed) {
    bootstrap
        .connect(address)
        .addListener(
            (ChannelFuture done) -> {
              if (!done.isSuccess()) {
                loop.execute(() -> failed.accept(done.cause()));
              }
            });
  }
}
