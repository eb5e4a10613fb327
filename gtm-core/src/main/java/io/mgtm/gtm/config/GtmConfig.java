package io.mgtm.gtm.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import java.nio.file.Path;

/**
 * Everything that can be set for a GTM. The keys of the file are the component names, nested ones
 * below their section; docs/configuration.md tells of each.
 *
 * @param data the folder that holds the log
 * @param listen where XC nodes and proxies connect
 * @param metrics where /metrics and /health are served, or null for nowhere
 * @param ioThreads threads that read and write sockets; the first of them owns the state too
 */
public record GtmConfig(
    Path data,
    HostPort listen,
    HostPort metrics,
    DurabilityMode durability,
    int ioThreads,
    Log log,
    Gxid gxid,
    LimitsConfig limits,
    Timeouts timeouts,
    GroupConfig group,
    LinksConfig links,
    AccessConfig access) {

  /**
   * The log on disk.
   *
   * @param segmentBytes size of one file
   * @param checkpointBytes how much is logged before a checkpoint replaces it
   */
  public record Log(int segmentBytes, long checkpointBytes) {}

  /**
   * Transaction ids.
   *
   * @param first the first one of an empty data folder
   * @param stopMargin ids left before wraparound at which begins are refused
   * @param warnMargin ids left before wraparound at which warnings start
   */
  public record Gxid(long first, long stopMargin, long warnMargin) {}

  /**
   * What is admitted.
   *
   * @param outboundBytesMax replies that wait for one client before it is no longer read
   */
  public record LimitsConfig(
      int connectionsMax,
      int transactionsMax,
      int snapshotGxidsMax,
      int sequencesMax,
      int nodesMax,
      int frameBytesMax,
      int outboundBytesMax) {}

  /**
   * How long is waited.
   *
   * @param startupMs for a connection's startup packet
   * @param frameMs for the rest of a frame that has begun
   * @param outboundMs for a client to take anything at all of the replies that pile up for it
   */
  public record Timeouts(int startupMs, int frameMs, int outboundMs) {}

  /** More than an unclean restart passes over (131,072), or it could pass the stop itself. */
  private static final int STOP_MARGIN_MIN = 200_000;

  /** What one read brings must fit one log entry; no valid message takes more than 40 KiB. */
  private static final int FRAME_BYTES_LIMIT = 96 * 1024;

  /** What holds when nothing is set. */
  public static final GtmConfig DEFAULTS =
      new GtmConfig(
          Path.of("data"),
          new HostPort("127.0.0.1", 6666),
          null,
          DurabilityMode.CRITICAL,
          1,
          new Log(16 * 1024 * 1024, 64L * 1024 * 1024),
          new Gxid(10_000, 1_000_000, 11_000_000),
          new LimitsConfig(10_000, 65_536, 4_096, 1_000_000, 1_024, 64 * 1024, 1024 * 1024),
          new Timeouts(10_000, 30_000, 60_000),
          new GroupConfig("gtm", null, GroupMode.FIFO, null, "mgtm"),
          new LinksConfig(null, null, null, null, false, 10_000),
          new AccessConfig(null));

  /** The defaults in a folder, at an address. */
  public static GtmConfig at(Path data, HostPort listen) {
    return new GtmConfig(
        data,
        listen,
        DEFAULTS.metrics,
        DEFAULTS.durability,
        DEFAULTS.ioThreads,
        DEFAULTS.log,
        DEFAULTS.gxid,
        DEFAULTS.limits,
        DEFAULTS.timeouts,
        DEFAULTS.group,
        DEFAULTS.links,
        DEFAULTS.access);
  }

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public static GtmConfig read(Path file) throws ConfigException {
    return new ConfigFile("docs/configuration.md")
        .with(GroupMode.class, ModeByLabel.class)
        .read(file, DEFAULTS, GtmConfig.class);
  }

  /** A mode is read as the command line reads it, so that both refuse it with the same words. */
  private abstract static class ModeByLabel {
    @JsonCreator
    static GroupMode of(String label) {
      return GroupMode.of(label);
    }
  }

  /**
   * Checks every value.
   *
   * @throws ConfigException with the key, the value and what is allowed
   */
  public GtmConfig validated() throws ConfigException {
    range("ioThreads", ioThreads, 1, 64);
    range("log.segmentBytes", log.segmentBytes(), 1024 * 1024, 1024 * 1024 * 1024);
    if (log.segmentBytes() % 8 != 0) {
      throw new ConfigException(
          "log.segmentBytes: " + log.segmentBytes() + " is not allowed, expected a multiple of 8");
    }
    range("log.checkpointBytes", log.checkpointBytes(), 1024 * 1024, 1L << 40);
    range("gxid.first", gxid.first(), 3, 0xffff_ffffL);
    range("gxid.stopMargin", gxid.stopMargin(), STOP_MARGIN_MIN, 1_000_000_000);
    range("gxid.warnMargin", gxid.warnMargin(), gxid.stopMargin(), 2_000_000_000);
    range("limits.connectionsMax", limits.connectionsMax(), 1, 1_000_000);
    range("limits.transactionsMax", limits.transactionsMax(), 1, 1_000_000);
    range("limits.snapshotGxidsMax", limits.snapshotGxidsMax(), 1, 1_000_000);
    range("limits.sequencesMax", limits.sequencesMax(), 1, 1_000_000);
    range("limits.nodesMax", limits.nodesMax(), 1, 100_000);
    range("limits.frameBytesMax", limits.frameBytesMax(), 40 * 1024, FRAME_BYTES_LIMIT);
    range("limits.outboundBytesMax", limits.outboundBytesMax(), 64 * 1024, 1 << 30);
    range("timeouts.startupMs", timeouts.startupMs(), 100, 3_600_000);
    range("timeouts.frameMs", timeouts.frameMs(), 100, 3_600_000);
    range("timeouts.outboundMs", timeouts.outboundMs(), 100, 3_600_000);
    range("group.recoveryWaitMs", group.recoveryWaitMs(), 0, 60_000);
    range("links.graceMs", links.graceMs(), 100, 3_600_000);
    group.validate();
    group.refuseOwnPort("listen", listen);
    group.refuseOwnPort("metrics", metrics);
    if (metrics != null && metrics.port() != 0 && metrics.equals(listen)) {
      throw new ConfigException(
          "metrics: %s is taken: clients connect there, as listen says; choose another port"
              .formatted(metrics));
    }
    links.validate();
    access.validate(links, group);
    return this;
  }

  private static void range(String key, long value, long min, long max) throws ConfigException {
    if (value < min || value > max) {
      throw new ConfigException(
          key + ": " + value + " is not allowed, expected " + min + " to " + max);
    }
  }

  /** Where gateways and other members reach this node, which listens on a port. */
  public HostPort advertised(int port) {
    if (group.advertise() != null) {
      return group.advertise();
    }
    String host = group.exists() ? group.memberAddresses().get(group.name()).host() : listen.host();
    return new HostPort(host, port);
  }
}
