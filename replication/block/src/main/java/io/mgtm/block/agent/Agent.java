package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.link.Compression;
import io.mgtm.block.link.LinkSecurity;
import io.mgtm.block.link.TargetConnection;
import io.mgtm.block.nbd.NbdMeter;
import io.mgtm.block.nbd.NbdServer;
import io.mgtm.block.nbd.NbdTls;
import io.mgtm.block.rdma.RdmaAcceptor;
import io.mgtm.block.store.BackingStore;
import io.mgtm.block.volume.Role;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.volume.VolumeView;
import io.mgtm.block.wire.BlockChannels;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.block.wire.Newcomers;
import io.mgtm.block.wire.PskTlsHandler;
import io.mgtm.common.HttpEndpoint;
import io.mgtm.common.ListenErrors;
import io.mgtm.common.Sockets;
import io.mgtm.common.TlsFiles;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running volume: its store, its core on an event loop, its listeners and links. */
public final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final String[] TLS_VERSIONS = {"TLSv1.3", "TLSv1.2"};
  private static final long TICK_MS = 10;
  private static final long CLOSE_SECONDS_MAX = 60;
  private static final long RETIRE_MS_BEYOND_TIMEOUT = 3_000;

  /** Follows the opening of a volume. */
  @FunctionalInterface
  public interface Opened {
    /** Does it; a failure ends the start. */
    void run() throws IOException;
  }

  private final VolumeConfig config;
  private final EventLoopGroup group;
  private final EventLoop owner;
  private final ExecutorService metadata =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "metadata");
            thread.setDaemon(true);
            return thread;
          });
  private final NbdMeter meter = new NbdMeter();
  private final List<NbdServer> servers = new ArrayList<>();
  private final List<LinkDialer> dialers = new ArrayList<>();
  private final long startedNs = System.nanoTime();
  private BackingStore store;
  private MetaDirectory meta;
  private VolumeService service;
  private VolumeMetrics metrics;
  private Channel receiver;
  private RdmaAcceptor rdmaReceiver;
  private Control control;
  private HttpEndpoint http;
  private final PeerWait peerWait;
  private final Runnable onFailure;
  private long nextRefreshMs;

  private Agent(VolumeConfig config, Runnable onFailure) {
    this.config = config;
    this.onFailure = onFailure;
    this.peerWait = new PeerWait(config.peerWaitMs(), config.serveAlone());
    this.group = Sockets.loops(1, "volume-" + config.name());
    this.owner = group.next();
  }

  /**
   * Opens the volume, creating what does not exist yet, and begins to serve.
   *
   * @param opened what is to be done once the volume is open, before anybody can reach it
   * @param onFailure ends the process at once, as a crash would: called after an internal error, on
   *     the volume's event loop
   * @throws IOException when something cannot be opened or listened at, with a message that says
   *     what
   */
  public static Agent start(VolumeConfig config, Opened opened, Runnable onFailure)
      throws IOException {
    Agent agent = new Agent(config, onFailure);
    try {
      agent.open(opened);
      return agent;
    } catch (IOException | RuntimeException e) {
      agent.close();
      throw e;
    }
  }

  private void open(Opened opened) throws IOException {
    meta = new MetaDirectory(config.meta(), config.bitmaps());
    meta.lock();
    LinkSecurity security = LinkKeys.security(config);
    NbdTls nbdTls = nbdTls();
    TlsFiles linkTls = config.linkTls();
    SslContext linkClientTls = linkTls.certificate() == null ? null : linkTls.client(TLS_VERSIONS);
    store = VolumeFiles.openStore(config, meta, owner);
    VolumeState found = VolumeFiles.openState(config, meta, store);
    opened.run();
    MetaDirectory.Loaded loaded = meta.loadBitmaps(found);
    StartFlush flushed = StartFlush.of(config, store, owner);
    VolumeState state = loaded.state();
    if (flushed.isSuspect() && !state.equals(state.distrusted())) {
      state = state.distrusted();
      meta.saveState(state);
    }
    MetadataWriter writer = new MetadataWriter(meta, config.name(), owner, metadata);
    service = new VolumeService(config, writer, store);
    service.start(state, loaded.bitmaps(), flushed, owner);
    metrics = new VolumeMetrics(config.name(), meter, config.replicas().size());
    for (int i = 0; i < config.replicas().size(); i++) {
      dialers.add(
          new LinkDialer(
              service,
              i,
              config.replicas().get(i),
              owner,
              config.pathTimeoutMs(),
              security,
              linkClientTls));
    }
    boolean restarted =
        !state.slots().isEmpty() && state.role() == Role.PRIMARY && !dialers.isEmpty();
    if (!restarted) {
      service.export().setReady();
    }
    for (Endpoint endpoint : config.listen()) {
      servers.add(NbdServer.listen(endpoint, owner, service.export(), meter, nbdTls));
    }
    if (config.receive() != null) {
      listenForSource(security);
    }
    control =
        Control.listen(
            config.control(),
            owner,
            new AgentCommands(service, this::status, this::roleChanged, dialers));
    serveMetrics();
    Heartbeat heartbeat = new Heartbeat(this::tick, this::failed);
    var unused = owner.scheduleAtFixedRate(heartbeat, 0, TICK_MS, TimeUnit.MILLISECONDS);
    LOG.info(
        "volume {}: {} of {} bytes in {}, NBD at {}",
        config.name(),
        state.role(),
        state.sizeBytes(),
        config.file(),
        listening());
  }

  private void serveMetrics() throws IOException {
    if (config.metrics() != null) {
      http =
          HttpEndpoint.listen("--metrics", config.metrics())
              .metrics(metrics::scrape)
              .health(metrics::problem, () -> "")
              .start();
    }
  }

  private void listenForSource(LinkSecurity security) throws IOException {
    ChannelHandler initializer = forSources(security);
    InetSocketAddress rdma =
        config.receive().rdma() ? (InetSocketAddress) config.receive().socketAddress() : null;
    if (rdma != null) {
      rdmaReceiver = RdmaAcceptor.listen(rdma, owner, initializer);
      return;
    }
    var bound =
        new ServerBootstrap()
            .group(owner)
            .channel(BlockChannels.serverChannel(config.receive()))
            .childHandler(initializer)
            .bind(config.receive().socketAddress())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw ListenErrors.of("--receive", config.receive(), bound.cause());
    }
    receiver = bound.channel();
  }

  private ChannelHandler forSources(LinkSecurity security) throws IOException {
    Newcomers newcomers = new Newcomers();
    TlsFiles files = config.linkTls();
    SslContext tls = files.certificate() == null ? null : files.server(TLS_VERSIONS);
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel child) {
        BlockChannels.prepare(child);
        if (tls != null) {
          child.pipeline().addLast("tls", tls.newHandler(child.alloc()));
        }
        child
            .pipeline()
            .addLast(
                "link",
                new TargetConnection(
                    service.core(), Compression.NONE, config.pathTimeoutMs(), security, newcomers));
      }
    };
  }

  private NbdTls nbdTls() throws IOException {
    if (config.nbdPsk() != null) {
      Supplier<PskTlsHandler> handlers = PskTlsHandler.of(config.nbdPsk());
      return channel -> handlers.get();
    }
    if (config.nbdTls().certificate() == null) {
      return NbdTls.NONE;
    }
    SslContext tls = config.nbdTls().server(TLS_VERSIONS);
    return channel -> tls.newHandler(channel.alloc());
  }

  /** This side does not know any more what it does: it ends as if it were killed. */
  private void failed(Throwable cause) {
    LOG.error(
        "volume {}: an internal error; this agent ends, start it again", config.name(), cause);
    onFailure.run();
  }

  private void tick() {
    long nowMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNs) + 1;
    service.core().tick(nowMs);
    for (LinkDialer dialer : dialers) {
      dialer.tick(nowMs);
    }
    if (!service.export().isReady() || service.core().recall().isPending()) {
      waitForPeers(nowMs);
    }
    if (nowMs >= nextRefreshMs) {
      nextRefreshMs = nowMs + 1000;
      metrics.refresh(service);
    }
  }

  /** A restarted primary does not serve before it knows that it was not replaced. */
  private void waitForPeers(long nowMs) {
    List<VolumeView.Link> links = service.core().view().links();
    boolean may = peerWait.mayServe(nowMs, links);
    if (may && service.core().recall().isFetching()) {
      service.export().setWaiting("the volume fetches from a replica what its disk may have lost");
    } else if (may) {
      service.core().recall().goOn("none is there");
      service.export().setReady();
      LOG.info("volume {}: serving again", config.name());
    } else {
      service.export().setWaiting(peerWait.reason(links));
    }
  }

  private void roleChanged() {
    service.export().disconnectClients();
    dialers.forEach(LinkDialer::hurry);
  }

  private List<String> listening() {
    return servers.stream().map(server -> server.endpoint().toString()).toList();
  }

  private String receiving() {
    Endpoint wanted = config.receive();
    SocketAddress bound =
        rdmaReceiver != null
            ? rdmaReceiver.localAddress()
            : receiver == null ? null : receiver.localAddress();
    if (bound == null) {
      return null;
    }
    return bound instanceof InetSocketAddress real
        ? new Endpoint(wanted.host(), real.getPort(), null, wanted.rdma()).toString()
        : wanted.toString();
  }

  private Map<String, Object> status() {
    return StatusReport.of(service, meter, listening(), receiving());
  }

  /**
   * Lets the replicas confirm what they have, so that nothing is sent again at the next start. One
   * that does not in time costs no more than that. The wait outlasts the path timeout: whoever is
   * silent for that long is lost, and no longer waited for.
   */
  private void retire() throws InterruptedException {
    if (service == null || dialers.isEmpty() || group.isShuttingDown()) {
      return;
    }
    CountDownLatch retired = new CountDownLatch(1);
    owner.execute(
        () -> {
          service.export().disconnectClients();
          service.core().administration().retire(retired::countDown);
        });
    long waitMs =
        Math.min(config.pathTimeoutMs() + RETIRE_MS_BEYOND_TIMEOUT, CLOSE_SECONDS_MAX * 1000);
    if (!retired.await(waitMs, TimeUnit.MILLISECONDS)) {
      LOG.info("volume {}: stops with bits set; those chunks are sent again", config.name());
    }
  }

  /** Stops serving, makes everything durable and closes. */
  @Override
  public void close() {
    servers.forEach(NbdServer::close);
    try {
      retire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (receiver != null) {
      receiver.close().awaitUninterruptibly();
    }
    if (rdmaReceiver != null) {
      rdmaReceiver.close();
    }
    try {
      if (http != null) {
        http.close();
      }
      if (control != null) {
        control.close();
      }
      var stopped = group.shutdownGracefully(50, CLOSE_SECONDS_MAX * 1000, TimeUnit.MILLISECONDS);
      stopped.awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
      if (service != null) {
        service.close();
      }
      metadata.shutdown();
      if (!metadata.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
        LOG.error(
            "volume {}: metadata is still being written after {} s",
            config.name(),
            CLOSE_SECONDS_MAX);
      }
      if (store != null) {
        store.close();
      }
      if (meta != null) {
        meta.close();
      }
    } catch (IOException e) {
      LOG.error("volume {}: did not close cleanly: {}", config.name(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
