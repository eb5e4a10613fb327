package io.mgtm.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.cli.GtmMain;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.proxy.ProxyConfig;
import io.mgtm.proxy.ProxyServer;
import io.mgtm.testing.OwnAddress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StatusAtProxyTest {
  private static final HostPort ANY = new HostPort(OwnAddress.HOST, 0);

  @TempDir Path data;

  @Test
  void itSaysThatThisIsOne() throws Exception {
    try (GtmServer gtm = GtmServer.start(gtmConfig());
        ProxyServer proxy = ProxyServer.start(proxyConfig(at(gtm.address())))) {
      String at = at(proxy.address()).toString();
      assertThat(status(at)).contains(at + ", a proxy: of the group, a node is asked (--at)");
      assertThat(status(at(gtm.address()).toString())).doesNotContain("a proxy");
    }
  }

  private static String status(String at) {
    CommandLine line = GtmMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    assertThat(line.execute("status", "--at", at)).isZero();
    return text.toString();
  }

  private static HostPort at(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort());
  }

  private GtmConfig gtmConfig() {
    GtmConfig d = GtmConfig.DEFAULTS;
    return new GtmConfig(
        data,
        ANY,
        null,
        d.durability(),
        1,
        d.log(),
        d.gxid(),
        d.limits(),
        d.timeouts(),
        d.group(),
        d.links(),
        d.access());
  }

  private static ProxyConfig proxyConfig(HostPort gtm) {
    ProxyConfig d = ProxyConfig.DEFAULTS;
    return new ProxyConfig(
        "p1",
        ANY,
        List.of(gtm),
        d.protocol(),
        ANY,
        List.of(),
        d.drainMs(),
        null,
        d.tls(),
        d.limits(),
        d.timeouts());
  }
}
