package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.gateway.GatewayServer;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.TcpLinks;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway as the proxy has it before the three nodes of a group, whose leaders die under load.
 */
class GatewayedGroupIT {
  private static final int CLIENTS = 8;
  private static final int DEATHS = 2;

  @TempDir private Path folder;
  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private final Set<Integer> gxids = ConcurrentHashMap.newKeySet();
  private final Set<Long> values = ConcurrentHashMap.newKeySet();
  private TestNodes nodes;
  private Gateway gateway;
  private GatewayServer server;

  private void start(GroupMode mode) throws Exception {
    nodes = TestNodes.three(folder, mode).startAll();
    nodes.leader();
    EventLoop loop = loops.next();
    GatewaySettings settings =
        new GatewaySettings(
            100, 64 * 1024, 1 << 20, new ClientTimeouts(10_000, 10_000, 10_000), List.of());
    List<HostPort> addresses = new ArrayList<>();
    for (String name : List.of("g1", "g2", "g3")) {
      addresses.add(new HostPort(OwnAddress.HOST, nodes.server(name).address().getPort()));
    }
    gateway =
        Gateway.connecting(
            "p1",
            settings,
            loop,
            new TcpLinks(loop, new TcpLinks.Identity("p1", GatewayKind.PROXY, null, null)),
            new Gateway.Nodes(addresses, UpstreamProtocol.AUTO, addresses.get(0)),
            new GatewayMetrics(new SimpleMeterRegistry()),
            fatal::set);
    server = GatewayServer.listen(new HostPort("127.0.0.1", 0), gateway, settings, loop);
    loop.submit(gateway::start).get();
  }

  @AfterEach
  void close() throws Exception {
    stop.set(true);
    threads.shutdownNow();
    if (server != null) {
      server.close();
      loops.next().submit(gateway::close).get();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    if (nodes != null) {
      nodes.close();
    }
    assertThat(fatal.get()).isNull();
  }

  /** What one client does until it is told to stop; any exception is a client's error. */
  private Void load(int number) throws IOException {
    try (GtmClient client = GtmClient.connect(server.address())) {
      String key = GtmClient.sequenceKey("db.public.s" + number % 2);
      while (!stop.get()) {
        int gxid = client.begin();
        assertThat(gxids.add(gxid)).as("gxid %d came once", gxid).isTrue();
        SnapshotReply.Snapshot snapshot = client.snapshot(gxid);
        assertThat(snapshot.xmin()).isLessThanOrEqualTo(gxid);
        long value = client.nextValue(key);
        assertThat(values.add(value * 2 + number % 2)).as("value %d came once", value).isTrue();
        assertThat(client.commit(gxid)).as("commit of %d", gxid).isTrue();
        done.incrementAndGet();
      }
    }
    return null;
  }

  @Test
  void aBackupThroughTheGatewayShowsItsClientOneMomentAndEndsWithTheLeader() throws Exception {
    start(GroupMode.FIFO);
    try (GtmClient other = GtmClient.connect(server.address())) {
      List<Integer> open = new ArrayList<>();
      try (GtmClient takes = nodes.atLeader(leader -> showsOneMoment(other, open))) {
        nodes.kill(nodes.leader());
        assertThat(gxidsOpen(other)).containsExactlyElementsOf(open);
        assertThatThrownBy(takes::transactions).isInstanceOf(IOException.class);
      }
    }
  }

  /** A client that sees what was open before its backup; it takes another one on return. */
  private GtmClient showsOneMoment(GtmClient other, List<Integer> open) throws IOException {
    GtmClient takes = GtmClient.connect(server.address());
    try {
      open.add(other.begin());
      takes.beginBackup();
      List<Integer> before = List.copyOf(open);
      open.add(other.begin());
      assertThat(gxidsOpen(takes)).containsExactlyElementsOf(before);
      assertThat(gxidsOpen(other)).containsExactlyElementsOf(open);
      takes.endBackup();
      assertThat(gxidsOpen(takes)).containsExactlyElementsOf(open);
      takes.beginBackup();
      return takes;
    } catch (AssertionError | IOException e) {
      takes.close();
      throw e;
    }
  }

  private static List<Integer> gxidsOpen(GtmClient client) throws IOException {
    return client.transactions().transactions().stream().map(t -> t.gxid()).toList();
  }

  private void awaitMore(int transactions) {
    long from = done.get();
    Await.until("more transactions", () -> done.get() >= from + transactions);
  }

  @Test
  void noClientSeesALeaderDie() throws Exception {
    leadersDie(GroupMode.TOTAL);
  }

  @Test
  @Tag("long")
  void norWhereOneLeads() throws Exception {
    leadersDie(GroupMode.FIFO);
  }

  private void leadersDie(GroupMode mode) throws Exception {
    start(mode);
    try (GtmClient client = GtmClient.connect(server.address())) {
      client.createSequence(GtmClient.sequenceKey("db.public.s0"));
      client.createSequence(GtmClient.sequenceKey("db.public.s1"));
    }
    List<Future<Void>> loads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int number = i;
      Callable<Void> load = () -> load(number);
      loads.add(threads.submit(load));
    }
    awaitMore(200);
    for (int i = 0; i < DEATHS; i++) {
      String leader = nodes.leader();
      nodes.kill(leader);
      awaitMore(200);
      nodes.start(leader);
      nodes.awaitCaughtUp(leader);
      awaitMore(200);
    }
    nodes.stop(nodes.leader());
    awaitMore(200);
    stop.set(true);
    for (Future<Void> load : loads) {
      load.get(180, TimeUnit.SECONDS);
    }
    try (GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.transactions().transactions()).isEmpty();
    }
  }
}
