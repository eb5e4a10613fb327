package io.mgtm.gtm.node.connection;

import io.mgtm.common.ListenErrors;
import io.mgtm.common.Newcomers;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.net.ReadBuffers;
import io.mgtm.gtm.net.TurnedAway;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loops and the listening socket. The first loop owns the state. With one I/O thread it
 * also serves every socket, and a request goes from read to reply without a hand-over.
 */
public final class SocketServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SocketServer.class);
  private static final int CLOSE_WAIT_MS = 2_000;
  private static final int LINK_READ_BYTES = 64 * 1024;
  private static final int LINK_UNSENT_BYTES_MAX = 8 << 20;

  /** About what a client on the same machine takes from a reply to its next request. */
  private static final int SPIN_MICROS = 30;

  private final GtmConfig config;
  private final RequestMetrics metrics;
  private final Consumer<Throwable> fatal;
  private final MultiThreadIoEventLoopGroup ownerLoop;
  private final MultiThreadIoEventLoopGroup ioLoops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final AtomicLong sessions = new AtomicLong();
  private final ClientAccess access;
  private final Path socket;
  private final Newcomers newcomers;
  private final PartialBudget begun = new PartialBudget(PartialBudget.BYTES_MAX);
  private final Rarely strangers = new Rarely();
  private volatile Channel listener;
  private volatile Channel local;

  /** Takes XC clients in a group. */
  private volatile Consumer<Channel> clients = SocketServer::closeEarly;

  public SocketServer(GtmConfig config, RequestMetrics metrics, Consumer<Throwable> fatal) {
    this.config = config;
    this.metrics = metrics;
    this.fatal = fatal;
    this.access = ClientAccess.of(config);
    this.socket = config.data().resolve(LocalSocket.NAME);
    this.newcomers = new Newcomers(Newcomers.MAX, config.timeouts().startupMs());
    ownerLoop = EventLoops.start(1, "mgtm-owner", config.group().exists() ? 0 : SPIN_MICROS, fatal);
    boolean one = config.ioThreads() == 1 || config.group().exists();
    ioLoops = one ? ownerLoop : EventLoops.start(config.ioThreads() - 1, "mgtm-io", fatal);
  }

  /** What frames that were begun take, of all who have shown no secret. */
  public PartialBudget begun() {
    return begun;
  }

  /** The thread that owns the state. */
  public EventLoop owner() {
    return ownerLoop.next();
  }

  /**
   * Begins to accept.
   *
   * @param engine of direct clients, null in a group
   * @param tls of links, or null
   * @throws IOException when the address is taken or not of this machine; the message is an
   *     operator's sentence
   */
  public void listen(Engine engine, LinkService links, SslContext tls) throws IOException {
    ServerBootstrap bootstrap =
        EventLoops.server(ownerLoop, ioLoops)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(
                    config.limits().outboundBytesMax() / 2, config.limits().outboundBytesMax()))
            .childHandler(new Initializer(engine, links, tls));
    var bound =
        bootstrap.bind(ListenErrors.resolve("--listen", config.listen())).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw ListenErrors.of("--listen", config.listen(), bound.cause());
    }
    listener = bound.channel();
    listenHere(new Initializer(engine, links, tls));
  }

  /**
   * At the data folder's socket, where operators of this machine need no secret. A node goes
   * without where there can be none: its disk may be full.
   */
  private void listenHere(ChannelHandler initializer) {
    ServerBootstrap bootstrap = EventLoops.local(ownerLoop, ioLoops);
    if (bootstrap == null || !LocalSocket.fits(socket)) {
      log.info(
          "There is no socket {}: its path is too long, or Netty's library of epoll is not loaded,"
              + " as where this is no Linux, or /tmp is not writable or not executable",
          socket);
      return;
    }
    try {
      Files.deleteIfExists(socket); // Left by a process that was killed; the folder is ours alone.
      ChannelFuture bound =
          bootstrap
              .childHandler(initializer)
              .bind(new DomainSocketAddress(socket.toFile()))
              .awaitUninterruptibly();
      local = bound.channel();
      if (!bound.isSuccess()) {
        throw new IOException(bound.cause().getMessage(), bound.cause());
      }
      LocalSocket.close(socket);
    } catch (IOException e) {
      log.warn("Nobody can ask at the socket {}: {}", socket, e.getMessage());
      closeHere();
    }
  }

  private void closeHere() {
    Channel here = local;
    if (here != null) {
      here.close();
      socket.toFile().delete();
    }
  }

  /** Sets up an accepted connection, or turns it away. */
  private final class Initializer extends ChannelInitializer<Channel> {
    private final Engine engine;
    private final LinkService links;
    private final SslContext tls;
    private final ReadBuffers linkBuffers = new ReadBuffers(LINK_READ_BYTES);

    Initializer(Engine engine, LinkService links, SslContext tls) {
      this.engine = engine;
      this.links = links;
      this.tls = tls;
    }

    @Override
    protected void initChannel(Channel channel) throws IOException {
      boolean own = LocalSocket.is(channel);
      if (own && !LocalSocket.isOwners(channel, socket)) {
        channel.close();
        return;
      }
      if (connections.size() >= config.limits().connectionsMax()) {
        strangers.run(
            more ->
                log.warn(
                    "Turned away {}: the limit of {} connections is reached; raise limits.connectionsMax{}",
                    channel.remoteAddress(),
                    config.limits().connectionsMax(),
                    more));
        channel
            .pipeline()
            .addLast(
                TurnedAway.client(
                    "the limit of %d connections is reached"
                        .formatted(config.limits().connectionsMax()),
                    "Raise limits.connectionsMax."));
        return;
      }
      connections.add(channel);
      newcomers.watch(channel);
      boolean open = own || access.opensTo(channel.remoteAddress());
      Connection direct =
          engine == null || !open
              ? null
              : new Connection(
                  sessions.incrementAndGet(), config, engine, owner(), metrics, begun, fatal);
      ProtocolChoice.Choices choices =
          new ProtocolChoice.Choices(
              tls,
              config.links().tlsOnly(),
              () -> link(channel, direct == null),
              open ? accepted -> clients.accept(accepted) : SocketServer.this::turnAway,
              config.timeouts().startupMs());
      channel.pipeline().addLast(new ProtocolChoice(choices, direct));
      if (direct != null) {
        channel.pipeline().addLast(direct);
      }
    }

    private ChannelHandler link(Channel channel, boolean uncounted) {
      channel
          .config()
          .setRecvByteBufAllocator(linkBuffers)
          .setWriteBufferWaterMark(
              new WriteBufferWaterMark(LINK_UNSENT_BYTES_MAX / 2, LINK_UNSENT_BYTES_MAX));
      if (uncounted) {
        metrics.connected();
      }
      return new LinkConnection(links, owner());
    }
  }

  private void turnAway(Channel client) {
    strangers.run(
        more ->
            log.warn(
                "Turned away XC client {}: it comes from no network of access.clients{}",
                client.remoteAddress(),
                more));
    client.pipeline().addLast(TurnedAway.client(ClientAccess.CLOSED, ClientAccess.HINT));
  }

  /** A client that came before the node can serve it comes again. */
  private static void closeEarly(Channel channel) {
    channel.close();
  }

  /** In a group, XC clients go here from now on; on their event loop, which is the owner. */
  public void serveClients(Consumer<Channel> accept) {
    clients = accept;
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  public void stopListening() {
    Channel current = listener;
    if (current != null) {
      current.close();
    }
    closeHere();
  }

  /** Closes everything that is connected, and waits a bounded time for it. Not on an event loop. */
  public void closeConnections() {
    stopListening();
    connections.close().awaitUninterruptibly(CLOSE_WAIT_MS);
  }

  @Override
  public void close() {
    ioLoops.shutdownGracefully(0, CLOSE_WAIT_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    ownerLoop.shutdownGracefully(0, CLOSE_WAIT_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }
}
