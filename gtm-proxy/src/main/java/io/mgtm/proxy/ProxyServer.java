package io.mgtm.proxy;

import io.mgtm.common.HttpEndpoint;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.gateway.GatewayServer;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.TcpLinks;
import io.mgtm.gtm.net.EventLoops;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A proxy: its event loop, its gateway, its listener. {@link #start} and {@link #close} may be
 * called by any thread; {@link #failure} tells when it cannot go on.
 */
public final class ProxyServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
  private static final int CLOSE_WAIT_MS = 2_000;

  private final ProxyConfig config;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "mgtm-gateway", this::fail);
  private final EventLoop loop = loops.next();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private Gateway gateway;
  private GatewayServer listener;
  private HttpEndpoint metricsServer;

  private ProxyServer(ProxyConfig config) {
    this.config = config;
  }

  /**
   * Listens, and begins to connect to the GTM. Clients are accepted at once; what they ask waits
   * until the GTM is reached.
   *
   * @throws IOException when an address cannot be listened on, or a key or secret cannot be read
   */
  public static ProxyServer start(ProxyConfig config) throws IOException {
    ProxyServer server = new ProxyServer(config);
    try {
      server.open();
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void open() throws IOException {
    GatewaySettings settings = config.gatewaySettings();
    TcpLinks links =
        new TcpLinks(
            loop,
            new TcpLinks.Identity(
                config.name(),
                GatewayKind.PROXY,
                Keys.secret(config.secretFile()),
                Keys.tls(config.tls())));
    gateway =
        Gateway.connecting(
            config.name(),
            settings,
            loop,
            links,
            new Gateway.Nodes(config.gtm(), config.protocol(), config.listen()),
            new GatewayMetrics(registry),
            this::fail);
    if (config.metrics() != null) {
      metricsServer =
          HttpEndpoint.listen("--metrics", config.metrics())
              .metrics(registry::scrape)
              .health(gateway::trouble, gateway::describe)
              .start();
    }
    listener = GatewayServer.listen(config.listen(), gateway, settings, loop);
    EventLoops.run(loop, gateway::start);
  }

  private void fail(Throwable cause) {
    if (failure.complete(cause)) {
      log.error("The proxy cannot go on", cause);
    }
  }

  /** Completes with the cause when the proxy cannot go on; it is then to be closed. */
  public CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Where XC nodes connect. */
  public InetSocketAddress address() {
    return listener.address();
  }

  /** Where metrics are served, or null. */
  public InetSocketAddress metricsAddress() {
    return metricsServer == null ? null : metricsServer.address();
  }

  /** What is wrong now, or empty. */
  public String trouble() {
    return gateway.trouble();
  }

  /**
   * Accepts nobody any more, lets clients finish for at most {@code drainMs}, ends the sessions
   * with the GTM and closes. A second call does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (listener != null) {
      listener.close();
      drain();
    }
    if (gateway != null) {
      EventLoops.run(loop, gateway::close);
    }
    if (metricsServer != null) {
      metricsServer.close();
    }
    loops.shutdownGracefully(0, CLOSE_WAIT_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  private void drain() {
    if (failure.isDone()) {
      return;
    }
    try {
      gateway.drain(config.drainMs()).get(config.drainMs() + CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.warn("Closing without having drained", e);
    }
  }
}
