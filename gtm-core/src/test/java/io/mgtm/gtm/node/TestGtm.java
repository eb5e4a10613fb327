package io.mgtm.gtm.node;

import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A GTM on a free loopback port, set up as a test wants it, and its clients. */
public final class TestGtm implements AutoCloseable {
  private final List<RawClient> clients = new ArrayList<>();
  private Path data;
  private int ioThreads = 1;
  private boolean metrics;
  private GtmConfig.Gxid gxid = GtmConfig.DEFAULTS.gxid();
  private GtmConfig.LimitsConfig limits = GtmConfig.DEFAULTS.limits();
  private ClientTimeouts timeouts = GtmConfig.DEFAULTS.timeouts();
  private GtmConfig.Log log = new GtmConfig.Log(1024 * 1024, 64L * 1024 * 1024);
  private LinksConfig links = GtmConfig.DEFAULTS.links();
  private AccessConfig access = GtmConfig.DEFAULTS.access();
  private GroupConfig group = GtmConfig.DEFAULTS.group();
  private GtmServer server;

  private TestGtm(Path data) {
    this.data = data;
  }

  public static TestGtm in(Path folder) {
    return new TestGtm(folder.resolve("data"));
  }

  public TestGtm ioThreads(int threads) {
    ioThreads = threads;
    return this;
  }

  TestGtm withMetrics() {
    metrics = true;
    return this;
  }

  TestGtm gxid(long first, long stopMargin, long warnMargin) {
    gxid = new GtmConfig.Gxid(first, stopMargin, warnMargin);
    return this;
  }

  TestGtm limits(GtmConfig.LimitsConfig wanted) {
    limits = wanted;
    return this;
  }

  public TestGtm connectionsMax(int max) {
    return limits(
        new GtmConfig.LimitsConfig(
            max,
            limits.transactionsMax(),
            limits.snapshotGxidsMax(),
            limits.sequencesMax(),
            limits.nodesMax(),
            limits.frameBytesMax(),
            limits.outboundBytesMax()));
  }

  TestGtm admitting(int transactions, int snapshotGxids, int sequences, int nodes) {
    return limits(
        new GtmConfig.LimitsConfig(
            limits.connectionsMax(),
            transactions,
            snapshotGxids,
            sequences,
            nodes,
            limits.frameBytesMax(),
            limits.outboundBytesMax()));
  }

  TestGtm outboundBytesMax(int max) {
    return limits(
        new GtmConfig.LimitsConfig(
            limits.connectionsMax(),
            limits.transactionsMax(),
            limits.snapshotGxidsMax(),
            limits.sequencesMax(),
            limits.nodesMax(),
            limits.frameBytesMax(),
            max));
  }

  TestGtm timeouts(int startupMs, int frameMs, int outboundMs) {
    timeouts = new ClientTimeouts(startupMs, frameMs, outboundMs);
    return this;
  }

  TestGtm checkpointBytes(long bytes) {
    log = new GtmConfig.Log(log.segmentBytes(), bytes);
    return this;
  }

  TestGtm links(LinksConfig wanted) {
    links = wanted;
    return this;
  }

  TestGtm access(AccessConfig wanted) {
    access = wanted;
    return this;
  }

  /** The only member of a group in a mode. */
  TestGtm aloneInAGroup(GroupMode mode) {
    String members = "g1=" + OwnAddress.HOST + ":" + OwnAddress.port();
    group = new GroupConfig("g1", members, mode, null, "test");
    return this;
  }

  public TestGtm start() throws IOException {
    HostPort anyPort = new HostPort("127.0.0.1", 0);
    server =
        GtmServer.start(
            new GtmConfig(
                data,
                anyPort,
                metrics ? anyPort : null,
                DurabilityMode.CRITICAL,
                ioThreads,
                log,
                gxid,
                limits,
                timeouts,
                group,
                links,
                access));
    return this;
  }

  public GtmServer server() {
    return server;
  }

  /** Stops it in order and starts it again on the same folder. */
  TestGtm restart() throws IOException {
    closeClients();
    server.close();
    return start();
  }

  /** A new connection that has sent nothing. */
  public RawClient connect() throws IOException {
    RawClient client = new RawClient(server.address());
    clients.add(client);
    return client;
  }

  /** A connection that was accepted as a backend of a node. */
  public RawClient backend() throws IOException {
    return connect().startup("backend", 6, false);
  }

  /** A connection that was accepted as a proxy's. */
  RawClient proxy() throws IOException {
    return connect().startup("proxy", 1, false);
  }

  String get(String path, int expectedStatus) throws IOException, InterruptedException {
    HttpResponse<String> response = http("GET", path);
    if (response.statusCode() != expectedStatus) {
      throw new AssertionError(path + " answered " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  HttpResponse<String> http(String method, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.metricsAddress().getPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(Await.PATIENCE)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** The value of a metric's line that begins with {@code name}, tags included. */
  double metric(String name) throws IOException, InterruptedException {
    return get("/metrics", 200)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no metric " + name));
  }

  /** The same for a condition. */
  double gauge(String name) {
    try {
      return metric(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Waits for something to become true; fails when it does not. */
  public static void await(String what, BooleanSupplier condition) {
    Await.until(what, condition::getAsBoolean);
  }

  private void closeClients() {
    clients.forEach(RawClient::close);
    clients.clear();
  }

  @Override
  public void close() {
    closeClients();
    if (server != null) {
      server.close();
    }
  }
}
