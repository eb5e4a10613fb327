package io.mgtm.block.cli;

import io.mgtm.block.config.Sizes;
import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.store.IoMode;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.block.wire.TlsSettings;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say what a volume is. */
final class VolumeOptions {
  @Option(
      names = "--name",
      required = true,
      description = "The volume's name, and its NBD export's.")
  String name;

  @Option(
      names = "--file",
      required = true,
      description = "The file or block device that holds the bytes.")
  Path file;

  @Option(
      names = "--size",
      description = "The size, such as 1G; needed when the file is to be created.")
  String size;

  @Option(
      names = "--chunk-size",
      description = "What one bit stands for: 64K to 4M; default: 64K, or what the volume has.")
  String chunkSize;

  @Option(
      names = "--meta",
      description = "The directory for state and control socket; default: FILE.meta.")
  Path meta;

  @Option(
      names = "--bitmap-dir",
      description =
          "The directory for the bitmaps, best on flash; default: the metadata directory.")
  Path bitmaps;

  @Option(
      names = "--receive",
      description =
          "HOST:PORT or rdma:HOST:PORT where a source connects; a new volume with it is secondary.")
  String receive;

  @Option(
      names = "--link-key",
      description =
          "A file with the key of the volume's links, as 'create' showed it for the first copy; it"
              + " is kept in the metadata directory from then on.")
  Path linkKey;

  @Option(
      names = "--io",
      defaultValue = "cache",
      description =
          "cache: through the page cache; direct: past it, by io_uring; uring: through it by"
              + " io_uring.")
  IoMode io;

  Path metaFolder() {
    return meta != null ? meta : Path.of(file.toAbsolutePath() + ".meta");
  }

  Path bitmapFolder() {
    return bitmaps != null ? bitmaps : metaFolder();
  }

  private long sizeBytes() {
    long bytes = size == null ? 0 : Sizes.parse(size);
    if (size != null && bytes == 0) {
      throw new IllegalArgumentException("size " + size + ": a positive multiple of 512");
    }
    return bytes;
  }

  VolumeConfig bare() {
    return new VolumeConfig(
        name,
        file.toAbsolutePath(),
        sizeBytes(),
        chunkSize == null ? 0 : Math.toIntExact(Sizes.parse(chunkSize)),
        metaFolder(),
        bitmapFolder(),
        List.of(),
        List.of(),
        receive == null ? null : Endpoint.parse(receive),
        false,
        null,
        5_000,
        0,
        false,
        CoreTiming.DEFAULT,
        TlsSettings.NONE,
        TlsSettings.NONE,
        linkKey,
        io,
        VolumeConfig.CLIENTS_DEFAULT);
  }
}
