package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.testing.Await;
import io.mgtm.testing.TestKeys;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links over TLS. */
class TlsIT {
  @TempDir private Path folder;

  private static ProxyConfig withTls(GtmServer gtm, ProxyConfig.Tls tls) {
    ProxyConfig c = TestProxy.config(UpstreamProtocol.AUTO, gtm.address());
    return new ProxyConfig(
        c.name(),
        c.listen(),
        c.gtm(),
        c.protocol(),
        c.metrics(),
        c.allow(),
        c.drainMs(),
        c.secretFile(),
        tls,
        c.limits(),
        c.timeouts());
  }

  private static void serves(GtmServer gtm, ProxyConfig.Tls tls) throws Exception {
    try (ProxyServer proxy = ProxyServer.start(withTls(gtm, tls));
        GtmClient client = GtmClient.connect(proxy.address())) {
      assertThat(client.commit(client.begin())).isTrue();
    }
  }

  private static void doesNotServe(GtmServer gtm, ProxyConfig.Tls tls, String why)
      throws Exception {
    ClientSettings hasty =
        new ClientSettings(
            ClientSettings.defaults().startup(), 5_000, 250, ReplyDecoder.FRAME_BYTES_MAX);
    try (ProxyServer proxy = ProxyServer.start(withTls(gtm, tls));
        GtmClient client = GtmClient.connect(proxy.address(), hasty)) {
      assertThatThrownBy(client::begin).hasMessageContaining("did not answer");
      Await.untilAsserted(
          "why nothing is served",
          () -> assertThat(proxy.trouble()).contains("no node of the group was reached yet", why));
    }
  }

  @Test
  void bothEndsShowWhoTheyAre() throws Exception {
    TestKeys node = TestKeys.make(folder, "node", "127.0.0.1");
    TestKeys proxy = TestKeys.make(folder, "proxy", "127.0.0.1");
    TestKeys elsewhere = TestKeys.make(folder, "elsewhere", "127.0.0.9");
    LinksConfig d = GtmConfig.DEFAULTS.links();
    HostPort any = new HostPort("127.0.0.1", 0);
    LinksConfig links =
        new LinksConfig(
            null, node.certificate(), node.key(), proxy.certificate(), true, d.graceMs());
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("data"), any, links)) {
      serves(gtm, new ProxyConfig.Tls(node.certificate(), proxy.certificate(), proxy.key()));
      doesNotServe(gtm, new ProxyConfig.Tls(node.certificate(), null, null), "tls.certificate");
      doesNotServe(
          gtm,
          new ProxyConfig.Tls(proxy.certificate(), proxy.certificate(), proxy.key()),
          "its certificate is not trusted; name it, or who signed it, in tls.trust");
    }
    LinksConfig wrongName =
        new LinksConfig(null, elsewhere.certificate(), elsewhere.key(), null, true, d.graceMs());
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("other"), any, wrongName)) {
      doesNotServe(
          gtm,
          new ProxyConfig.Tls(elsewhere.certificate(), null, null),
          "its certificate is for another host");
    }
    LinksConfig inClear = new LinksConfig(null, null, null, null, false, d.graceMs());
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("clear"), any, inClear)) {
      doesNotServe(
          gtm, new ProxyConfig.Tls(node.certificate(), null, null), "it speaks in the clear");
    }
  }
}
