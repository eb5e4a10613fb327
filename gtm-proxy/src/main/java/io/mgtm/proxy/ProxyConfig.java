package io.mgtm.proxy;

import io.mgtm.common.AllowList;
import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.nio.file.Path;
import java.util.List;

/**
 * Everything that can be set for a proxy. The keys of the file are the component names;
 * docs/proxy.md tells of each.
 *
 * @param name of the proxy, unique among those of the group
 * @param listen where XC nodes connect
 * @param gtm the nodes of the group, some are enough; or the one original GTM
 * @param metrics where /metrics and /health are served, or null for nowhere
 * @param allow networks that XC clients may come from; empty allows all
 * @param drainMs how long clients may finish what is open when the proxy is told to stop
 * @param secretFile holds the secret that the group's nodes ask for, or null
 */
public record ProxyConfig(
    String name,
    HostPort listen,
    List<HostPort> gtm,
    UpstreamProtocol protocol,
    HostPort metrics,
    List<String> allow,
    int drainMs,
    Path secretFile,
    Tls tls,
    LimitsConfig limits,
    Timeouts timeouts) {

  /**
   * TLS to the nodes of the group.
   *
   * @param trust PEM file with the authorities that nodes' certificates come from; null for no TLS
   * @param certificate PEM file with the proxy's own certificate chain, or null for none
   * @param key PEM file with its private key
   */
  public record Tls(Path trust, Path certificate, Path key) {}

  /**
   * What is admitted.
   *
   * @param outboundBytesMax replies that wait for one client before it is no longer read
   */
  public record LimitsConfig(int connectionsMax, int frameBytesMax, int outboundBytesMax) {}

  /**
   * How long is waited.
   *
   * @param startupMs for a connection's startup packet
   * @param frameMs for the rest of a frame that has begun
   * @param outboundMs for a client to take anything at all of the replies that pile up for it
   */
  public record Timeouts(int startupMs, int frameMs, int outboundMs) {}

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
          new Timeouts(10_000, 30_000, 60_000));

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
    range("drainMs", drainMs, 0, 3_600_000);
    range("limits.connectionsMax", limits.connectionsMax(), 1, GatewaySettings.CONNECTIONS_MAX);
    range("limits.frameBytesMax", limits.frameBytesMax(), 40 * 1024, 96 * 1024);
    range("limits.outboundBytesMax", limits.outboundBytesMax(), 64 * 1024, 1 << 30);
    range("timeouts.startupMs", timeouts.startupMs(), 100, 3_600_000);
    range("timeouts.frameMs", timeouts.frameMs(), 100, 3_600_000);
    range("timeouts.outboundMs", timeouts.outboundMs(), 100, 3_600_000);
    return this;
  }

  private static void range(String key, int value, int min, int max) throws ConfigException {
    if (value < min || value > max) {
      throw new ConfigException(
          key + ": " + value + " is not allowed, expected " + min + " to " + max);
    }
  }

  /** What the gateway needs of it. */
  GatewaySettings gatewaySettings() {
    return new GatewaySettings(
        limits.connectionsMax(),
        limits.frameBytesMax(),
        limits.outboundBytesMax(),
        timeouts.startupMs(),
        timeouts.frameMs(),
        timeouts.outboundMs(),
        allow);
  }
}
