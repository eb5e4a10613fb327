package io.mgtm.block.config;

import io.mgtm.block.store.IoMode;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.volume.LinkMode;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import java.nio.file.Path;
import java.util.List;

/**
 * All that one agent needs to know.
 *
 * @param name the volume's name, which is its NBD export's name too
 * @param file the backing file or device
 * @param sizeBytes the size; 0 to take the file's
 * @param chunkBytes the bitmap's chunk size; 0 for the volume's, or the smallest for a new one
 * @param meta the directory for state and control socket
 * @param bitmaps the directory for bitmaps
 * @param listen where NBD clients connect
 * @param replicas the replicas
 * @param receive where a source connects, or null
 * @param serveReads whether a secondary serves reads
 * @param metrics where metrics and health are served, or null
 * @param pathTimeoutMs after so long without a word a path counts as lost
 * @param peerWaitMs how long a restarted primary waits for its replicas before it serves
 * @param serveAlone whether it serves after that wait though it reached none of its replicas
 * @param timing the core's intervals
 * @param nbdTls certificates of TLS with NBD clients
 * @param nbdPsk a file of pre-shared keys for that, or null
 * @param linkTls TLS for links, both ends
 * @param linkKey a file with the links' key, or null for the one in {@code meta}, if there is one
 * @param io the way of the bytes to the backing file
 * @param clientsMax how many NBD clients there may be at once
 * @param fence how a cluster is told of copies that are left behind, or null when it need not be
 */
public record VolumeConfig(
    String name,
    Path file,
    long sizeBytes,
    int chunkBytes,
    Path meta,
    Path bitmaps,
    List<Endpoint> listen,
    List<ReplicaConfig> replicas,
    Endpoint receive,
    boolean serveReads,
    HostPort metrics,
    long pathTimeoutMs,
    long peerWaitMs,
    boolean serveAlone,
    CoreTiming timing,
    TlsFiles nbdTls,
    Path nbdPsk,
    TlsFiles linkTls,
    Path linkKey,
    IoMode io,
    int clientsMax,
    FenceConfig fence) {
  /** How many NBD clients there may be at once, if nothing else is said. */
  public static final int CLIENTS_DEFAULT = 64;

  /** The smallest chunk. */
  public static final int CHUNK_BYTES_MIN = 64 * 1024;

  /** The largest chunk. */
  public static final int CHUNK_BYTES_MAX = 4 << 20;

  /** Refuses values that could not work. */
  public VolumeConfig {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw new IllegalArgumentException(
          "name '"
              + name
              + "': 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter"
              + " or digit");
    }
    if (chunkBytes != 0
        && (chunkBytes < CHUNK_BYTES_MIN
            || chunkBytes > CHUNK_BYTES_MAX
            || Integer.bitCount(chunkBytes) != 1)) {
      throw new IllegalArgumentException(
          "chunk size " + chunkBytes + ": a power of two from 64K to 4M");
    }
    if (sizeBytes < 0 || sizeBytes % 512 != 0) {
      throw new IllegalArgumentException("size " + sizeBytes + ": a positive multiple of 512");
    }
    if (sizeBytes / Math.max(chunkBytes, CHUNK_BYTES_MIN) > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException(
          "size " + sizeBytes + " needs larger chunks than " + chunkBytes);
    }
    if (pathTimeoutMs < 100 || pathTimeoutMs > 3_600_000) {
      throw new IllegalArgumentException("path timeout " + pathTimeoutMs + ": 100 ms to an hour");
    }
    if (clientsMax < 1 || clientsMax > 10_000) {
      throw new IllegalArgumentException("clients at most " + clientsMax + ": 1 to 10000");
    }
    listen = List.copyOf(listen);
    if (listen.stream().anyMatch(Endpoint::rdma)) {
      throw new IllegalArgumentException("listen " + listen + ": NBD clients do not speak RDMA");
    }
    replicas = List.copyOf(replicas);
    if (fence != null && replicas.stream().allMatch(r -> r.link().mode() == LinkMode.ASYNC)) {
      throw new IllegalArgumentException(
          "--fence without a sync or semi --replica: no copy would ever be fenced");
    }
    control(meta);
    for (TlsFiles tls : List.of(nbdTls, linkTls)) {
      if (tls.trust() != null && tls.certificate() == null) {
        throw new IllegalArgumentException(tls + " needs " + tls.prefix() + "certificate");
      }
    }
    if (nbdPsk != null && nbdTls.certificate() != null) {
      throw new IllegalArgumentException(
          nbdTls + " and --tls-psk " + nbdPsk + ": either certificates or pre-shared keys");
    }
  }

  /** The control socket. */
  public Endpoint control() {
    return control(meta);
  }

  private static Endpoint control(Path meta) {
    return Endpoint.parse("unix:" + meta.resolve("control.sock"));
  }
}
