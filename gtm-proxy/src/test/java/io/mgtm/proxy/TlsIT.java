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
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links over TLS, with keys that the JDK's keytool made. */
class TlsIT {
  private static final String PASSWORD = "changeit";

  @TempDir private Path folder;

  /** A certificate that signs itself, and its key, as PEM files. */
  private record Pair(Path certificate, Path key) {}

  private Pair pair(String name, String address) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=ip:" + address,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start();
    assertThat(keytool.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new Pair(
        pem(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded()),
        pem(name + ".key", "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded()));
  }

  private Path pem(String file, String type, byte[] bytes) throws Exception {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return Files.writeString(
        folder.resolve(file),
        "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
  }

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
            ClientSettings.defaults().startup(), 5_000, 2_500, ReplyDecoder.FRAME_BYTES_MAX);
    try (ProxyServer proxy = ProxyServer.start(withTls(gtm, tls));
        GtmClient client = GtmClient.connect(proxy.address(), hasty)) {
      assertThatThrownBy(client::begin).hasMessageContaining("did not answer");
      assertThat(proxy.trouble()).contains("no node of the group was reached yet", why);
    }
  }

  @Test
  void bothEndsShowWhoTheyAre() throws Exception {
    Pair node = pair("node", "127.0.0.1");
    Pair proxy = pair("proxy", "127.0.0.1");
    Pair elsewhere = pair("elsewhere", "127.0.0.9");
    LinksConfig d = GtmConfig.DEFAULTS.links();
    HostPort any = new HostPort("127.0.0.1", 0);
    LinksConfig links =
        new LinksConfig(
            null, node.certificate(), node.key(), proxy.certificate(), true, d.graceMs());
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("data"), any, links)) {
      serves(gtm, new ProxyConfig.Tls(node.certificate(), proxy.certificate(), proxy.key()));
      doesNotServe(gtm, new ProxyConfig.Tls(node.certificate(), null, null), "certificate");
      doesNotServe(
          gtm,
          new ProxyConfig.Tls(proxy.certificate(), proxy.certificate(), proxy.key()),
          "its certificate is not trusted");
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
