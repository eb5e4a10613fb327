package io.mgtm.block.cli;

import io.mgtm.block.agent.Agent;
import io.mgtm.block.config.FenceConfig;
import io.mgtm.block.config.ReplicaConfig;
import io.mgtm.block.config.Size;
import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.link.Compression;
import io.mgtm.block.resync.RateLimiter;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.volume.LinkConfig;
import io.mgtm.block.volume.LinkMode;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.HostPort;
import io.mgtm.common.Readiness;
import io.mgtm.common.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves a volume until it is told to stop. */
@Command(
    name = "start",
    description = "Serves a volume, creating it first if need be, until SIGTERM or SIGINT.",
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Mixin VolumeOptions volume;

  @Option(
      names = "--listen",
      description = "unix:PATH or HOST:PORT for NBD clients; may be given several times.")
  List<Endpoint> listen = new ArrayList<>();

  @Option(
      names = "--replica",
      description =
          "HOST:PORT or rdma:HOST:PORT of a replica's --receive; may be given several times.")
  List<Endpoint> replicas = new ArrayList<>();

  @Option(
      names = "--mode",
      description =
          "sync, semi or async, for the replicas in their order; the last one holds for the rest."
              + " Default: sync.")
  List<LinkMode> modes = new ArrayList<>();

  @Option(
      names = "--compress",
      defaultValue = "none",
      description = "none, lz4 or zstd on the links.")
  Compression compression;

  @Option(
      names = "--high-water",
      defaultValue = "64M",
      description = "Above so many unacknowledged bytes writers are slowed.")
  Size highWater;

  @Option(names = "--low-water", defaultValue = "48M", description = "Below so many they go on.")
  Size lowWater;

  @Option(
      names = "--overflow-to-bitmap",
      description = "Above high water an async link notes writes in the bitmap instead.")
  boolean overflow;

  @Option(
      names = "--resync-min",
      defaultValue = "10M",
      description = "A resync's bytes a second while clients write.")
  Size resyncMin;

  @Option(
      names = "--resync-max",
      description = "A resync's bytes a second while they do not; default: no limit.")
  Size resyncMax;

  @Option(
      names = "--resync",
      paramLabel = "METHOD",
      defaultValue = "SEND",
      description =
          "What a resync does with chunks that may differ: send (default) sends them, compare"
              + " compares checksums first and sends what differs.")
  LinkCommands.ResyncMethod resync;

  @Option(names = "--checksum-resync", hidden = true)
  boolean checksumResync;

  @Option(names = "--serve-reads", description = "A secondary serves reads too.")
  boolean serveReads;

  @Option(
      names = "--clients-max",
      defaultValue = "" + VolumeConfig.CLIENTS_DEFAULT,
      description = "How many NBD connections there may be at once.")
  int clientsMax;

  @Option(
      names = {"--metrics", "--http"},
      paramLabel = "HOST:PORT",
      description = "Where /metrics and /health are served. Default: nowhere.")
  HostPort metrics;

  @Option(
      names = "--path-timeout-ms",
      defaultValue = "5000",
      description = "After so long without a word a path is lost.")
  long pathTimeoutMs;

  @Option(
      names = "--peer-wait-ms",
      defaultValue = "5000",
      description =
          "How long a restarted primary waits for its other replicas once it has reached one.")
  long peerWaitMs;

  @Option(
      names = "--serve-alone",
      description =
          "A restarted primary serves after that wait though it reached none of its replicas. If"
              + " one of them was promoted meanwhile, that is a split brain.")
  boolean serveAlone;

  @Option(
      names = "--fence",
      description =
          "A primary goes on without a sync or semi replica only once 'fenced' has said so: for a"
              + " cluster that reads 'status --json'.")
  boolean fence;

  @Option(
      names = "--fence-command",
      paramLabel = "COMMAND",
      description =
          "What /bin/sh runs before a primary goes on without a sync or semi replica; writes wait"
              + " until it ends with status 0.")
  String fenceCommand;

  @Option(
      names = "--fence-timeout-ms",
      defaultValue = "" + FenceConfig.TIMEOUT_MS_DEFAULT,
      description = "After so long the fence command is killed, and run again.")
  long fenceTimeoutMs;

  @Option(
      names = "--mark-interval-ms",
      defaultValue = "1000",
      description = "How often what replicas have on stable storage is confirmed.")
  long markIntervalMs;

  @Option(
      names = "--bit-cooling-ms",
      defaultValue = "5000",
      description = "A chunk's bit stays set for so long at least after it was written.")
  long bitCoolingMs;

  @Option(
      names = "--bits-kept",
      defaultValue = "1G",
      description =
          "The bits of so many bytes may stay set, so that writes there need not wait for the"
              + " bitmap; after a crash of this side they are sent again.")
  Size bitsKept;

  @Option(
      names = "--bits-ahead",
      defaultValue = "4M",
      description = "A write that waits for the bitmap sets the bits of so many bytes around it.")
  Size bitsAhead;

  @Option(
      names = {"--tls-certificate", "--tls-cert"},
      description = "Certificate chain for NBD clients (PEM).")
  Path tlsCertificate;

  @Option(names = "--tls-key", description = "Its key.")
  Path tlsKey;

  @Option(
      names = {"--tls-trust", "--tls-ca"},
      description = "Clients must have a certificate of this authority.")
  Path tlsTrust;

  @Option(
      names = "--tls-psk",
      description = "Pre-shared keys for NBD clients: lines of IDENTITY:HEXKEY.")
  Path tlsPsk;

  @Option(
      names = {"--link-tls-certificate", "--link-tls-cert"},
      description = "Certificate chain for the links (PEM).")
  Path linkTlsCertificate;

  @Option(names = "--link-tls-key", description = "Its key.")
  Path linkTlsKey;

  @Option(
      names = {"--link-tls-trust", "--link-tls-ca"},
      description = "The other side must have a certificate of this authority.")
  Path linkTlsTrust;

  @Override
  public Integer call() throws IOException, InterruptedException {
    VolumeConfig config = volume.checked(this::config);
    Agent agent =
        Agent.start(
            config,
            () -> new Registry().add(config.name(), config.meta()),
            () -> Runtime.getRuntime().halt(1));
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  agent.close();
                  stopped.countDown();
                },
                "stop"));
    Readiness.tell();
    stopped.await();
    return 0;
  }

  private VolumeConfig config() {
    if (checksumResync) {
      throw new IllegalArgumentException("--checksum-resync is called --resync compare now");
    }
    if (listen.isEmpty() && volume.receive == null) {
      throw new IllegalArgumentException(
          "give --listen for clients, --receive for a source, or both");
    }
    VolumeConfig bare = volume.bare();
    return new VolumeConfig(
        bare.name(),
        bare.file(),
        bare.sizeBytes(),
        bare.chunkBytes(),
        bare.meta(),
        bare.bitmaps(),
        listen,
        replicaConfigs(),
        bare.receive(),
        serveReads,
        metrics,
        pathTimeoutMs,
        peerWaitMs,
        serveAlone,
        new CoreTiming(markIntervalMs, bitCoolingMs, bitsKept.bytes(), bitsAhead.bytes()),
        new TlsFiles("--tls-", tlsCertificate, tlsKey, tlsTrust),
        tlsPsk,
        new TlsFiles("--link-tls-", linkTlsCertificate, linkTlsKey, linkTlsTrust),
        bare.linkKey(),
        bare.io(),
        clientsMax,
        fenceConfig());
  }

  private FenceConfig fenceConfig() {
    if (fence && fenceCommand != null) {
      throw new IllegalArgumentException(
          "--fence and --fence-command: give one, either the cluster asks or it is asked");
    }
    return fence || fenceCommand != null ? new FenceConfig(fenceCommand, fenceTimeoutMs) : null;
  }

  private List<ReplicaConfig> replicaConfigs() {
    if (modes.size() > Math.max(1, replicas.size())) {
      throw new IllegalArgumentException(
          modes.size() + " --mode options for " + replicas.size() + " --replica options");
    }
    List<ReplicaConfig> configs = new ArrayList<>();
    for (int i = 0; i < replicas.size(); i++) {
      LinkMode mode = modes.isEmpty() ? LinkMode.SYNC : modes.get(Math.min(i, modes.size() - 1));
      LinkConfig link =
          new LinkConfig(
              replicas.get(i).toString(),
              mode,
              highWater.bytes(),
              lowWater.bytes(),
              overflow && mode == LinkMode.ASYNC,
              resync == LinkCommands.ResyncMethod.COMPARE,
              16L << 20,
              resyncMin.bytes(),
              resyncMax == null ? RateLimiter.UNLIMITED : resyncMax.bytes());
      configs.add(new ReplicaConfig(replicas.get(i), link, compression));
    }
    return configs;
  }
}
