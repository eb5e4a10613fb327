package io.mgtm.proxy;

import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** GTMs and proxies on free loopback ports, for tests. */
final class TestProxy {
  private static final HostPort ANY = new HostPort(OwnAddress.HOST, 0);

  private TestProxy() {}

  static GtmServer gtm(Path data) throws IOException {
    return gtm(data, ANY, GtmConfig.DEFAULTS.links());
  }

  static GtmServer gtm(Path data, HostPort listen, LinksConfig links) throws IOException {
    GtmConfig d = GtmConfig.DEFAULTS;
    return GtmServer.start(
        new GtmConfig(
            data,
            listen,
            null,
            DurabilityMode.CRITICAL,
            1,
            new GtmConfig.Log(1024 * 1024, 64L * 1024 * 1024),
            d.gxid(),
            d.limits(),
            d.timeouts(),
            d.group(),
            links,
            d.access()));
  }

  static HostPort at(InetSocketAddress address) {
    return new HostPort(address.getAddress().getHostAddress(), address.getPort());
  }

  static ProxyConfig config(UpstreamProtocol protocol, InetSocketAddress gtm) {
    ProxyConfig d = ProxyConfig.DEFAULTS;
    return new ProxyConfig(
        "p1",
        ANY,
        List.of(at(gtm)),
        protocol,
        ANY,
        List.of(),
        5_000,
        null,
        d.tls(),
        d.limits(),
        d.timeouts());
  }

  static void await(String what, BooleanSupplier condition) {
    Await.until(what, condition::getAsBoolean);
  }
}
