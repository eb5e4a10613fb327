package io.mgtm.gtm.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.ConfigKeys;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.net.ClientTimeouts;
import java.nio.file.Path;

/**
 * Everything that can be set for a GTM. The keys of the file are the component names, nested ones
 * below their section.
 */
public record GtmConfig(
    @Key("where the log is kept") Path data,
    @Key("where coordinators, datanodes and proxies connect; port 0 lets the system choose")
        HostPort listen,
    @Key("where `/metrics` and `/health` are served over HTTP; nowhere unless set")
        HostPort metrics,
    @Key(
            "`critical` forces to disk what must outlive a power cut (prepared transactions,"
                + " sequences, nodes, marks above the gxids and values handed out); `all` forces"
                + " every change before its reply leaves. In a group it says what the group begins"
                + " with; later `mgtm gtm durability` changes it, see docs/operating-a-group.md")
        DurabilityMode durability,
    @Key(
            value = "threads that read and write sockets; the first of them also owns the state",
            min = 1,
            max = 64)
        int ioThreads,
    Log log,
    Gxid gxid,
    LimitsConfig limits,
    ClientTimeouts timeouts,
    GroupConfig group,
    LinksConfig links,
    AccessConfig access) {

  /** The log on disk. */
  public record Log(
      @Key(
              value = "size of one log file, allocated in advance; a multiple of 8",
              min = 1 << 20,
              max = 1 << 30)
          int segmentBytes,
      @Key(
              value =
                  "how much is logged before a checkpoint replaces it; in a group counted by whole"
                      + " files of 16 MiB",
              min = 1 << 20,
              max = 1L << 40)
          long checkpointBytes) {}

  /** Transaction ids. */
  public record Gxid(
      @Key(
              value = "the first gxid of a new data folder; of no effect later",
              min = 3,
              max = 0xffff_ffffL)
          long first,
      @Key(
              value = "gxids left before wraparound at which begins are refused",
              min = STOP_MARGIN_MIN,
              max = 1_000_000_000)
          long stopMargin,
      @Key(
              value =
                  "gxids left before wraparound at which warnings start; at least"
                      + " `gxid.stopMargin`",
              min = STOP_MARGIN_MIN,
              max = WARN_MARGIN_MAX)
          long warnMargin) {}

  /** What is admitted. */
  public record LimitsConfig(
      @Key(value = "connections; one more is told so and closed", min = 1, max = 1_000_000)
          int connectionsMax,
      @Key(value = "open transactions, prepared ones included", min = 1, max = 1_000_000)
          int transactionsMax,
      @Key(
              value =
                  "running gxids that one snapshot may list; leave it for clients of Postgres-XC"
                      + " 1.2, which have room for no more"
                      + " (docs/adr/0007-snapshots-list-4096-gxids.md)",
              min = 1,
              max = 1_000_000)
          int snapshotGxidsMax,
      @Key(value = "sequences; a list of more would not fit one answer", min = 1, max = 1_000_000)
          int sequencesMax,
      @Key(value = "registered nodes", min = 1, max = 100_000) int nodesMax,
      @Key(
              value =
                  "the longest request, its header included. Of all clients together 64 MiB of"
                      + " requests that have begun and not ended are kept, not counting 8 KiB of"
                      + " each; then the connection of the one that began first is closed",
              min = 40 * 1024,
              max = FRAME_BYTES_LIMIT)
          int frameBytesMax,
      @Key(
              value = "replies that wait for one client before nothing more is read from it",
              min = 64 * 1024,
              max = 1 << 30)
          int outboundBytesMax) {}

  /** More than an unclean restart passes over (131,072), or it could pass the stop itself. */
  static final int STOP_MARGIN_MIN = 200_000;

  private static final int WARN_MARGIN_MAX = 2_000_000_000;

  /** What one read brings must fit one log entry; no valid message takes more than 40 KiB. */
  static final int FRAME_BYTES_LIMIT = 96 * 1024;

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
          ClientTimeouts.DEFAULTS,
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

  /** The JSON Schema of the file. */
  public static String schema() {
    return ConfigKeys.schema(
        "mgtm GTM", "The configuration of a GTM. docs/configuration.md explains it.", DEFAULTS);
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
    ConfigKeys.checkRanges(this);
    if (log.segmentBytes() % 8 != 0) {
      throw new ConfigException(
          "log.segmentBytes: " + log.segmentBytes() + " is not allowed, expected a multiple of 8");
    }
    ConfigKeys.requireRange(
        "gxid.warnMargin", gxid.warnMargin(), gxid.stopMargin(), WARN_MARGIN_MAX);
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

  /** Where gateways and other members reach this node, which listens on a port. */
  public HostPort advertised(int port) {
    if (group.advertise() != null) {
      return group.advertise();
    }
    String host = group.exists() ? group.memberAddresses().get(group.name()).host() : listen.host();
    return new HostPort(host, port);
  }
}
