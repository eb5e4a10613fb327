package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.gateway.GatewayServer;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.TcpLinks;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.mgtm.testing.TestKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A group that serves clients of two proxies gets TLS on its links, a secret, or both, in the steps
 * of docs/group-procedures.md: a transaction that is open while a member is restarted is committed
 * after it, and each proxy is restarted once.
 */
class TurnOnIT {
  private static final String SECRET = "correct horse battery staple";
  private static final int PATIENT_MS = 180_000;
  private static final int GRACE_MS = 10_000;

  /** What is turned on. */
  enum Means {
    TLS,
    SECRET,
    BOTH;

    boolean tls() {
      return this != SECRET;
    }

    boolean secret() {
      return this != TLS;
    }
  }

  @TempDir private Path folder;
  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-proxies", fatal::set);
  private final EventLoop loop = loops.next();
  private final List<Proxy> proxies = new ArrayList<>();
  private TestNodes nodes;
  private Path secret;

  /** All have the same, so that each trusts the others. */
  private TestKeys keys;

  /** As the process of a proxy has it. */
  private final class Proxy {
    private final Gateway gateway;
    private final GatewayServer server;

    Proxy(String name, LinkSecret secret, TlsFiles tls) throws Exception {
      GatewaySettings settings =
          new GatewaySettings(
              100, 64 * 1024, 1 << 20, new ClientTimeouts(10_000, 10_000, 10_000), List.of());
      HostPort any = new HostPort(OwnAddress.HOST, 0);
      List<HostPort> addresses =
          nodes.ports().values().stream().map(port -> new HostPort(OwnAddress.HOST, port)).toList();
      TcpLinks.Identity identity =
          new TcpLinks.Identity(
              name, GatewayKind.PROXY, secret, tls == null ? null : tls.client(TlsFiles.VERSION));
      gateway =
          Gateway.connecting(
              name,
              settings,
              loop,
              new TcpLinks(loop, identity),
              new Gateway.Nodes(addresses, UpstreamProtocol.AUTO, any),
              new GatewayMetrics(new SimpleMeterRegistry()),
              fatal::set);
      server = GatewayServer.listen(any, gateway, settings, loop);
      loop.submit(gateway::start).get();
    }

    GtmClient client() throws IOException {
      ClientSettings d = ClientSettings.defaults();
      return GtmClient.connect(
          server.address(),
          new ClientSettings(d.startup(), PATIENT_MS, PATIENT_MS, d.replyBytesMax()));
    }

    void close() throws Exception {
      server.close();
      loop.submit(gateway::close).get();
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (Proxy proxy : proxies) {
      proxy.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    if (nodes != null) {
      nodes.close();
    }
    assertThat(fatal.get()).isNull();
  }

  private void start(GroupMode mode, boolean witness) throws Exception {
    keys = TestKeys.make(folder, "keys", OwnAddress.HOST);
    secret = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    nodes = witness ? TestNodes.pairWithWitness(folder, mode) : TestNodes.three(folder, mode);
    nodes.startAll();
    proxies.add(new Proxy("p1", null, null));
    proxies.add(new Proxy("p2", null, null));
  }

  private LinksConfig links(boolean tls, boolean tlsOnly, boolean asks) {
    return new LinksConfig(
        asks ? secret : null,
        tls ? keys.certificate() : null,
        tls ? keys.key() : null,
        tls ? keys.certificate() : null,
        tlsOnly,
        GRACE_MS);
  }

  /** Restarts a member, while a client of each proxy has a transaction open. */
  private void restart(String name, LinksConfig links) throws Exception {
    try (GtmClient one = proxies.get(0).client();
        GtmClient other = proxies.get(1).client()) {
      int first = one.begin();
      int second = other.begin();
      nodes.stop(name);
      nodes.links(name, links);
      nodes.start(name);
      assertThat(one.commit(first)).isTrue();
      assertThat(other.commit(second)).isTrue();
    }
    awaitInSync(name);
  }

  private void awaitInSync(String name) {
    long all = nodes.status(nodes.leader()).lastIndex();
    Await.until(
        name + " is in sync",
        () ->
            nodes.status(nodes.leader()).members().stream()
                .filter(member -> member.name().equals(name))
                .anyMatch(
                    member ->
                        member.connected()
                            && member.voter()
                            && (member.witness() || member.matchedIndex() >= all)));
  }

  private void restartProxy(int number, LinkSecret shown, TlsFiles tls) throws Exception {
    proxies.get(number).close();
    proxies.set(number, new Proxy("p" + (number + 1), shown, tls));
    try (GtmClient client = proxies.get(number).client()) {
      assertThat(client.commit(client.begin())).isTrue();
    }
  }

  private String otherWithData(String leader) {
    return List.of("g1", "g2").stream().filter(n -> !n.equals(leader)).findFirst().orElseThrow();
  }

  private void turnOn(Means means, GroupMode mode, boolean witness) throws Exception {
    start(mode, witness);
    if (means.tls()) {
      // Both ways, by one follower first, which then leads.
      LinksConfig both = links(true, false, false);
      String first = otherWithData(nodes.leader());
      restart(first, both);
      nodes.transfer(first);
      for (String name : List.of("g1", "g2", "g3")) {
        if (!name.equals(first)) {
          restart(name, both);
        }
      }
    }
    LinkSecret shown = means.secret() ? new LinkSecret(SECRET) : null;
    TlsFiles tls =
        means.tls()
            ? new TlsFiles("tls.", keys.certificate(), keys.key(), keys.certificate())
            : null;
    restartProxy(0, shown, tls);
    restartProxy(1, shown, tls);
    LinksConfig all = links(means.tls(), means.tls(), means.secret());
    String last = nodes.leader();
    for (String name : List.of("g1", "g2", "g3")) {
      if (!name.equals(last)) {
        restart(name, all);
      }
    }
    restart(last, all);
    for (String name : List.of("g1", "g2", "g3")) {
      refusesOthers(name, means.tls() ? "over TLS only" : "asks for a secret");
    }
  }

  private void refusesOthers(String name, String why) {
    AdminClient.Settings open =
        new AdminClient.Settings(PATIENT_MS, null, SocketFactory.getDefault());
    assertThatThrownBy(() -> AdminClient.connect(nodes.server(name).address(), open).close())
        .hasMessageContaining(why);
  }

  /** Each means and each kind of group once. */
  @ParameterizedTest
  @CsvSource({"BOTH, FIFO, false", "TLS, TOTAL, false", "SECRET, LAZY, true"})
  void clientsOfProxiesSeeNothingOfIt(Means means, GroupMode mode, boolean witness)
      throws Exception {
    turnOn(means, mode, witness);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "TLS, FIFO, false",
    "SECRET, FIFO, false",
    "BOTH, TOTAL, false",
    "SECRET, TOTAL, false",
    "BOTH, LAZY, true",
    "TLS, LAZY, true"
  })
  void norDoTheyInOtherKindsOfGroups(Means means, GroupMode mode, boolean witness)
      throws Exception {
    turnOn(means, mode, witness);
  }
}
