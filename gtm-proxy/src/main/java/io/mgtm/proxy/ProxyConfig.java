package io.mgtm.proxy;

import io.mgtm.common.AllowList;
import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.ConfigKeys;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.nio.file.Path;
import java.util.List;

/** Everything that can be set for a proxy. The keys of the file are the component names. */
public record ProxyConfig(
    @Key("the proxy's name, unique in its group; 1 to 63 letters, digits, `.`, `_`, `-` (`--name`)")
        String name,
    @Key("where XC nodes connect (`--listen`)") HostPort listen,
    @Key("nodes of the group, or the original GTM (`--gtm`)") List<HostPort> gtm,
    @Key("how to speak to it (`--protocol`)") UpstreamProtocol protocol,
    @Key("where `/metrics` and `/health` are served (`--metrics`)") HostPort metrics,
    @Key(value = "networks that clients may come from; everybody unless set", as = "ADDRESS/BITS")
        List<String> allow,
    @Key(value = "how long clients may finish after SIGTERM", min = 0, max = 3_600_000) int drainMs,
    @Key("its first line is the secret, of 16 characters and more, that the group's nodes ask for")
        Path secretFile,
    Tls tls,
    LimitsConfig limits,
    ClientTimeouts timeouts) {

  /** TLS to the nodes of the group. */
  public record Tls(
      @Key("PEM: authorities of the nodes' certificates; without it links are in the clear")
          Path trust,
      @Key("PEM: the proxy's own certificate chain, where nodes ask for one") Path certificate,
      @Key("PEM: its private key") Path key) {}

  /** What is admitted. */
  public record LimitsConfig(
      @Key(
              value = "clients; one more is told so and closed",
              min = 1,
              max = GatewaySettings.CONNECTIONS_MAX)
          int connectionsMax,
      @Key(value = "the longest request", min = 40 * 1024, max = 96 * 1024) int frameBytesMax,
      @Key(
              value = "replies that wait for one client before nothing more is read from it",
              min = 64 * 1024,
              max = 1 << 30)
          int outboundBytesMax) {}

  private static final int GTM_MAX = 64;

  /** What holds when nothing is set. */
  public static final ProxyConfig DEFAULTS =
      new ProxyConfig(
          "proxy",
          new HostPort("127.0.0.1", 6666),
          List.of(),
          UpstreamProtocol.AUTO,
          null,
          List.of(),
          10_000,
          null,
          new Tls(null, null, null),
          new LimitsConfig(10_000, 64 * 1024, 1024 * 1024),
          ClientTimeouts.DEFAULTS);

  public ProxyConfig {
    gtm = List.copyOf(gtm);
    allow = List.copyOf(allow);
  }

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public static ProxyConfig read(Path file) throws ConfigException {
    return new ConfigFile("docs/proxy.md").read(file, DEFAULTS, ProxyConfig.class);
  }

  /**
   * Checks every value.
   *
   * @throws ConfigException with the key, the value and what is allowed
   */
  public ProxyConfig validated() throws ConfigException {
    if (!LinkFormat.isName(name)) {
      throw new ConfigException(
          "name: \"" + name + "\" is not allowed, expected 1 to 63 of letters, digits, and . _ -");
    }
    if (gtm.isEmpty() || gtm.size() > GTM_MAX) {
      throw new ConfigException(
          "gtm: expected 1 to " + GTM_MAX + " addresses HOST:PORT; set them with --gtm");
    }
    if (gtm.contains(listen)) {
      throw new ConfigException("gtm: " + listen + " is where this proxy itself listens");
    }
    try {
      new AllowList(allow);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("allow: " + e.getMessage(), e);
    }
    if (tls.trust() == null && (tls.certificate() != null || tls.key() != null)) {
      throw new ConfigException("tls.certificate: it needs tls.trust, which is not set");
    }
    if ((tls.certificate() == null) != (tls.key() == null)) {
      throw new ConfigException("tls.certificate: it needs tls.key, and the other way round");
    }
    if (protocol == UpstreamProtocol.XC && (secretFile != null || tls.trust() != null)) {
      throw new ConfigException(
          "protocol: xc is not allowed with secretFile or tls.trust, which it does not know");
    }
    ConfigKeys.checkRanges(this);
    return this;
  }

  /** The JSON Schema of the file. */
  public static String schema() {
    return ConfigKeys.schema(
        "mgtm proxy", "The configuration of a proxy. docs/proxy.md explains it.", DEFAULTS);
  }

  /** What the gateway needs of it. */
  GatewaySettings gatewaySettings() {
    return new GatewaySettings(
        limits.connectionsMax(),
        limits.frameBytesMax(),
        limits.outboundBytesMax(),
        timeouts,
        allow);
  }
}
