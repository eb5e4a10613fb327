package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.Startup;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A whole proxy before one GTM, over links and over the original's protocol. */
class ProxyServerIT {
  @TempDir private Path folder;
  private GtmServer gtm;
  private ProxyServer proxy;

  @AfterEach
  void close() {
    if (proxy != null) {
      proxy.close();
    }
    if (gtm != null) {
      gtm.close();
    }
  }

  private void start(UpstreamProtocol protocol) throws IOException {
    gtm = TestProxy.gtm(folder.resolve("data"));
    proxy = ProxyServer.start(TestProxy.config(protocol, gtm.address()));
  }

  private GtmClient client() throws IOException {
    return GtmClient.connect(proxy.address());
  }

  private String health() throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://" + OwnAddress.HOST + ":" + proxy.metricsAddress().getPort() + "/health");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @ParameterizedTest
  @EnumSource(UpstreamProtocol.class)
  void everyKindOfCommandIsServed(UpstreamProtocol protocol) throws Exception {
    start(protocol);
    try (GtmClient client = client();
        GtmClient direct = GtmClient.connect(gtm.address())) {
      int gxid = client.begin();
      assertThat(client.begin()).isEqualTo(gxid + 1);
      assertThat(client.snapshot(gxid).xmax()).isGreaterThanOrEqualTo(gxid);
      assertThat(client.nextGxid()).isEqualTo(gxid + 2);
      assertThat(client.transactions().transactions()).hasSize(2);
      assertThat(client.commit(gxid)).isTrue();

      client.startPrepare(gxid + 1, "gid-1", "dn1");
      client.prepare(gxid + 1);
      assertThat(client.preparedTransactions()).hasSize(1);
      assertThat(direct.preparedTransactions()).hasSize(1);
      int committing = client.beginForPrepared("gid-1").gxid();
      assertThat(client.commitPrepared(gxid + 1, committing)).isTrue();

      String key = GtmClient.sequenceKey("db.public.s");
      client.createSequence(key);
      assertThat(client.nextValue(key)).isEqualTo(1);
      assertThat(direct.nextValue(key)).isEqualTo(2);
      assertThat(client.lastValue(key)).isEqualTo(2);
      assertThat(client.sequences()).hasSize(1);
      client.dropSequence(key);

      client.barrier("b1");
      assertThat(client.barriers()).hasSize(1);
      assertThatThrownBy(() -> client.nextValue(key)).hasMessageContaining("db.public.s");
      assertThat(client.begin()).isGreaterThan(committing);
      if (protocol == UpstreamProtocol.XC) {
        assertThatThrownBy(client::beginBackup).hasMessageContaining("is not passed on");
      } else {
        int before = client.transactions().transactions().size();
        client.beginBackup();
        direct.begin();
        assertThat(client.transactions().transactions()).hasSize(before);
        client.endBackup();
        assertThat(client.transactions().transactions()).hasSize(before + 1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = UpstreamProtocol.class,
      names = {"MGTM", "XC"})
  void theTransactionsOfAClientEndWithIt(UpstreamProtocol protocol) throws Exception {
    start(protocol);
    try (GtmClient stays = client();
        GtmClient direct = GtmClient.connect(gtm.address())) {
      int kept = stays.begin();
      GtmClient goes = client();
      goes.begin();
      goes.begin();
      assertThat(direct.transactions().transactions()).hasSize(3);
      goes.close();
      Await.until("its transactions to end", () -> open(direct) == 1);
      assertThat(stays.commit(kept)).isTrue();
    }
  }

  private static int open(GtmClient client) {
    try {
      return client.transactions().transactions().size();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = UpstreamProtocol.class,
      names = {"MGTM", "XC"})
  void aNodeIsConnectedWhileItsPostmasterIs(UpstreamProtocol protocol) throws Exception {
    start(protocol);
    ClientSettings d = ClientSettings.defaults();
    ClientSettings postmaster =
        new ClientSettings(
            new Startup("coord1", NodeType.COORDINATOR, true),
            d.connectTimeoutMs(),
            d.readTimeoutMs(),
            d.replyBytesMax());
    try (GtmClient direct = GtmClient.connect(gtm.address())) {
      GtmClient node = GtmClient.connect(proxy.address(), postmaster);
      node.register(
          new NodeAddress(NodeType.COORDINATOR, "coord1", "p1", "10.0.0.1", 5432, "/data"));
      Await.until("the registration", () -> connected(direct));
      node.close();
      Await.until("the end of the postmaster", () -> !connected(direct));
      GtmClient again = GtmClient.connect(proxy.address(), postmaster);
      again.register(
          new NodeAddress(NodeType.COORDINATOR, "coord1", "p1", "10.0.0.1", 5432, "/data"));
      again.unregister(NodeType.COORDINATOR, "coord1");
      again.close();
    }
  }

  private static boolean connected(GtmClient client) {
    try {
      return client.nodes().stream()
          .filter(n -> n.address().name().equals("coord1"))
          .anyMatch(NodeReply.NodeInfo::connected);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void itFindsOutWhatTheGtmSpeaks() throws Exception {
    gtm = TestProxy.gtm(folder.resolve("data"));
    try (OriginalLikeRelay original = new OriginalLikeRelay(gtm.address())) {
      proxy = ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, original.address()));
      try (GtmClient client = client()) {
        client.commit(client.begin());
      }
      assertThat(health()).contains("an original GTM at");
      proxy.close();
    }
    proxy = ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, gtm.address()));
    try (GtmClient client = client()) {
      client.commit(client.begin());
    }
    assertThat(health()).contains("a group led by");
  }

  @Test
  void aNodeThatIsSilentForAWhileIsNotTakenForAnOriginalGtm() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      silent.setSoTimeout(180_000);
      proxy =
          ProxyServer.start(
              TestProxy.config(
                  UpstreamProtocol.AUTO, (InetSocketAddress) silent.getLocalSocketAddress()));
      int asks;
      try (Socket first = silent.accept()) {
        asks = first.getInputStream().read();
        while (first.getInputStream().read() >= 0) {
          Thread.onSpinWait();
        }
      }
      try (Socket second = silent.accept()) {
        assertThat(second.getInputStream().read()).isEqualTo(asks).isNotEqualTo('A');
      }
      proxy.close();
    }
  }

  @Test
  void aBrokenConnectionToAnOriginalGtmIsToldAndMadeAgain() throws Exception {
    gtm = TestProxy.gtm(folder.resolve("data"));
    try (OriginalLikeRelay original = new OriginalLikeRelay(gtm.address())) {
      proxy = ProxyServer.start(TestProxy.config(UpstreamProtocol.XC, original.address()));
      GtmClient client = client();
      client.begin();
      try (GtmClient direct = GtmClient.connect(gtm.address())) {
        Await.until("the registration of the proxy", () -> registered(direct));
      }
      original.breakAll();
      assertThatThrownBy(client::begin).isInstanceOf(IOException.class);
      try (GtmClient next = client()) {
        next.commit(next.begin());
      }
      proxy.close();
    }
  }

  @Test
  void whatANodeSaysThatTakesNoClientIsTold() throws Exception {
    LinksConfig d = GtmConfig.DEFAULTS.links();
    Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef\n");
    gtm =
        TestProxy.gtm(
            folder.resolve("data"),
            new HostPort(OwnAddress.HOST, 0),
            new LinksConfig(secret, null, null, null, false, d.graceMs()));
    proxy = ProxyServer.start(TestProxy.config(UpstreamProtocol.XC, gtm.address()));
    Await.until("the reason", () -> proxy.trouble().contains("is not reached"));
    assertThat(proxy.trouble())
        .endsWith(
            "it does not accept the startup packet: this GTM takes no Postgres-XC client from your"
                + " address. Connect through a proxy, or list the address in access.clients.");
  }

  private static boolean registered(GtmClient client) {
    try {
      return client.nodes().stream().anyMatch(n -> n.address().nodeType() == NodeType.PROXY);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void clientsWaitForAGtmThatIsRestarted() throws Exception {
    start(UpstreamProtocol.MGTM);
    HostPort at = TestProxy.at(gtm.address());
    try (GtmClient client = client()) {
      int gxid = client.begin();
      client.commit(gxid);
      gtm.close();
      Await.until("the proxy to notice", () -> !proxy.trouble().isEmpty());
      gtm = TestProxy.gtm(folder.resolve("data"), at, GtmConfig.DEFAULTS.links());
      Await.until("the proxy to go on", () -> proxy.trouble().isEmpty());
    }
    try (GtmClient client = client()) {
      client.commit(client.begin());
    }
  }

  @Test
  void theSecretOpensTheLinkAndAWrongOneDoesNot() throws Exception {
    Path right = Files.writeString(folder.resolve("secret"), "correct horse battery\n");
    Path wrong = Files.writeString(folder.resolve("wrong"), "battery staple horse\n");
    LinksConfig d = GtmConfig.DEFAULTS.links();
    gtm =
        TestProxy.gtm(
            folder.resolve("data"),
            new HostPort(OwnAddress.HOST, 0),
            new LinksConfig(right, d.certificate(), d.key(), d.trust(), d.tlsOnly(), d.graceMs()));
    ProxyConfig c = TestProxy.config(UpstreamProtocol.AUTO, gtm.address());
    proxy = ProxyServer.start(withSecret(c, right));
    try (GtmClient client = client()) {
      client.commit(client.begin());
    }
    proxy.close();
    proxy = ProxyServer.start(withSecret(c, wrong));
    ClientSettings hasty =
        new ClientSettings(
            ClientSettings.defaults().startup(), 5_000, 2_500, ReplyDecoder.FRAME_BYTES_MAX);
    try (GtmClient client = GtmClient.connect(proxy.address(), hasty)) {
      assertThatThrownBy(client::begin).hasMessageContaining("did not answer");
    }
    assertThat(proxy.trouble()).isNotEmpty();
  }

  private static ProxyConfig withSecret(ProxyConfig c, Path secret) {
    return new ProxyConfig(
        c.name(),
        c.listen(),
        c.gtm(),
        c.protocol(),
        c.metrics(),
        c.allow(),
        c.drainMs(),
        secret,
        c.tls(),
        c.limits(),
        c.timeouts());
  }
}
