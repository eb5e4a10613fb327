package io.mgtm.gtm.node;

import io.mgtm.common.Cli;
import io.mgtm.common.HostPort;
import io.mgtm.common.HttpEndpoint;
import io.mgtm.common.ListenErrors;
import io.mgtm.group.LogException;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.node.admin.NodePage;
import io.mgtm.gtm.node.backup.Takeover;
import io.mgtm.gtm.node.connection.LinkKeys;
import io.mgtm.gtm.node.connection.LinkService;
import io.mgtm.gtm.node.connection.LinkTls;
import io.mgtm.gtm.node.connection.NodeGateway;
import io.mgtm.gtm.node.connection.SocketServer;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A GTM: its log, its state, its sockets. {@link #start} and {@link #close} may be called by any
 * thread; {@link #failure} tells when it cannot go on.
 */
public final class GtmServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GtmServer.class);
  private static final int TICK_MS = 500;
  private static final int HAND_OVER_MS = 1_500;

  private final GtmConfig config;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final RequestMetrics metrics = new RequestMetrics(registry);
  private final NodeGauges gauges = new NodeGauges(registry);
  private final SocketServer sockets;
  private final EventLoop owner;
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private NodeCore core;
  private HttpEndpoint metricsServer;
  private ScheduledFuture<?> ticker;
  private volatile String trouble = "";

  /** As it was at the last tick: who asks waits for nobody. Null before the first. */
  private volatile NodePage page;

  private GtmServer(GtmConfig config) {
    this.config = config;
    this.sockets = new SocketServer(config, metrics, this::fail);
    this.owner = sockets.owner();
  }

  /**
   * Opens the data folder, recovers, and serves.
   *
   * @throws LogException when the folder cannot be used
   * @throws IOException when an address cannot be listened on
   */
  public static GtmServer start(GtmConfig config) throws IOException {
    return start(config, null);
  }

  /**
   * Fills a new data folder with what another GTM left, and serves.
   *
   * @param takeover what the folder begins with; null lets it begin empty
   * @throws LogException when the folder cannot be used, or is not new though there is something to
   *     take over
   * @throws IOException when an address cannot be listened on
   */
  public static GtmServer start(GtmConfig config, Takeover takeover) throws IOException {
    GtmServer server = new GtmServer(config);
    try {
      server.begin(takeover);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void begin(Takeover takeover) throws IOException {
    LinkKeys keys = LinkKeys.read(config);
    if (!DataDirectory.isIn(config.data())) {
      tryAddresses();
    }
    onOwner(() -> core = NodeCore.open(config, takeover, owner, metrics, gauges, this::fail));
    if (config.metrics() != null) {
      metricsServer =
          HttpEndpoint.listen("--metrics", config.metrics())
              .metrics(registry::scrape)
              .health(() -> trouble, core::warnings)
              .page("/status", parameters -> page())
              .start();
    }
    LinkService links = core.linkService(keys, sockets.begun());
    sockets.listen(core.engine(), links, LinkTls.server(config.links()));
    onOwner(() -> core.listening(advertised()));
    if (config.group().exists()) {
      serveClients(links);
    }
    ticker = owner.scheduleAtFixedRate(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** A first start that cannot listen leaves no folder, and no member that the group waits for. */
  private void tryAddresses() throws IOException {
    ListenErrors.tryOut("--listen", config.listen());
    if (config.metrics() != null) {
      ListenErrors.tryOut("--metrics", config.metrics());
    }
    if (config.group().exists() && config.group().stackFile() == null) {
      HostPort own = config.group().memberAddresses().get(config.group().name());
      if (own.resolve().isUnresolved()) {
        return; // which is refused in words of its own
      }
      ListenErrors.tryOut("group.members", own);
    }
  }

  /** A member serves XC clients through a gateway, whoever leads. */
  private void serveClients(LinkService links) throws IOException {
    SslContext tls = LinkTls.client(config.links());
    GatewayMetrics gatewayMetrics = new GatewayMetrics(registry);
    onOwner(
        () -> {
          Gateway gateway = NodeGateway.of(config, advertised(), links, tls, owner, gatewayMetrics);
          core.serveClients(gateway);
          sockets.serveClients(gateway::accept);
        });
  }

  /** Where gateways and other members reach this node. */
  private HostPort advertised() {
    return config.advertised(address().getPort());
  }

  private void tick() {
    if (!failure.isDone()) {
      trouble = core.tick();
      page = core.page();
    }
  }

  private NodePage page() throws IOException {
    if (page == null) {
      throw new IOException("the node begins");
    }
    return page;
  }

  /** Stops serving at once: what is not acknowledged is in doubt. Any thread. */
  private void fail(Throwable cause) {
    if (failure.complete(cause)) {
      trouble = "stopped: " + Cli.why(cause);
      if (cause instanceof LogException) {
        log.error("The GTM cannot go on: {}", cause.getMessage());
      } else {
        log.error("The GTM cannot go on", cause);
      }
      sockets.stopListening();
    }
  }

  /** Completes with the cause when the GTM cannot go on; it is then to be closed. */
  public CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Where XC nodes connect. */
  public InetSocketAddress address() {
    return sockets.address();
  }

  /** Where metrics are served, or null. */
  public InetSocketAddress metricsAddress() {
    return metricsServer == null ? null : metricsServer.address();
  }

  private void onOwner(Runnable task) {
    EventLoops.run(owner, task);
  }

  /**
   * Lets another member lead, closes every connection, then the log; a second call does nothing.
   */
  @Override
  public void close() {
    close(true);
  }

  /** Closes without asking another member to lead before. */
  void closeAtOnce() {
    close(false);
  }

  private void close(boolean orderly) {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (metricsServer != null) {
      metricsServer.close();
    }
    if (ticker != null) {
      ticker.cancel(false);
    }
    if (orderly && core != null && !failure.isDone()) {
      handOver();
    }
    sockets.closeConnections();
    onOwner(
        () -> {
          if (core != null) {
            core.close();
          }
        });
    sockets.close();
  }

  /** Gateways go to the next leader before this one's connections close, so that nobody waits. */
  private void handOver() {
    AtomicBoolean asked = new AtomicBoolean();
    AtomicBoolean leads = new AtomicBoolean(true);
    onOwner(() -> asked.set(core.handOver()));
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HAND_OVER_MS);
    while (asked.get() && leads.get() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      onOwner(() -> leads.set(core.isServing()));
    }
  }
}
