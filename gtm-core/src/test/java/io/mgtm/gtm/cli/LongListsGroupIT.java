package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.gateway.GatewayServer;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.TcpLinks;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.node.LargeState;
import io.mgtm.gtm.node.TestNodes;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Lists that fit no frame, and 65,000 transactions, at every member of a group. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LongListsGroupIT {
  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private TestNodes nodes;
  private RawClient owner;

  int sequences() {
    return LargeState.SEQUENCES;
  }

  @BeforeAll
  void startGroup(@TempDir Path folder) throws IOException {
    nodes = TestNodes.three(folder).startAll();
    owner = new RawClient(nodes.server(nodes.leader()).address()).startup("owner", 4, false);
    LargeState.request(owner, sequences());
  }

  @AfterAll
  void stop() throws InterruptedException {
    owner.close();
    nodes.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(fatal.get()).isNull();
  }

  @Test
  void atTheLeader() throws IOException {
    Listings.listEverything(nodes.server(nodes.leader()).address(), sequences());
  }

  @Test
  void atAFollower() throws IOException {
    Listings.listEverything(nodes.server(nodes.follower()).address(), sequences());
  }

  @Test
  void atAGatewayOfItsOwn() throws Exception {
    EventLoop loop = loops.next();
    GatewaySettings settings =
        new GatewaySettings(
            100, 64 * 1024, 1 << 20, new ClientTimeouts(10_000, 10_000, 10_000), List.of());
    List<HostPort> addresses =
        List.of("g1", "g2", "g3").stream()
            .map(name -> HostPort.of(nodes.server(name).address()))
            .toList();
    Gateway gateway =
        Gateway.connecting(
            "p1",
            settings,
            loop,
            new TcpLinks(loop, new TcpLinks.Identity("p1", GatewayKind.PROXY, null, null)),
            new Gateway.Nodes(addresses, UpstreamProtocol.MGTM, addresses.get(0)),
            new GatewayMetrics(new SimpleMeterRegistry()),
            fatal::set);
    GatewayServer server =
        GatewayServer.listen(new HostPort("127.0.0.1", 0), gateway, settings, loop);
    loop.submit(gateway::start).get();
    try {
      Listings.listEverything(server.address(), sequences());
    } finally {
      server.close();
      loop.submit(gateway::close).get();
    }
  }

  private String ask(String at, String command) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    assertThat(line.execute(command, "--at", at, "--timeout-ms", "60000"))
        .as(err::toString)
        .isZero();
    return out.toString();
  }

  private void askForEverything(String at) {
    assertThat(ask(at, "status"))
        .contains("transactions    65000 open, 0 of them prepared")
        .contains("sequences       " + sequences());
    assertThat(ask(at, "txns").lines()).hasSize(LargeState.TRANSACTIONS + 1);
    assertThat(ask(at, "sequences").lines()).hasSize(sequences() + 1);
  }

  @Test
  void byTheCommandLine() {
    askForEverything(HostPort.of(nodes.server(nodes.follower()).address()).toString());
  }

  @Test
  void byTheCommandLineAtTheSocketOfTheNodeItself() {
    askForEverything("unix:" + nodes.data(nodes.follower()).resolve("mgtm.sock"));
  }
}
