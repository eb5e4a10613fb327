package io.mgtm.block.cli;

import io.mgtm.block.config.Size;
import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.store.IoMode;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say what a volume is. */
final class VolumeOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

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
  Size size;

  @Option(
      names = "--chunk-size",
      description = "What one bit stands for: 64K to 4M; default: 64K, or what the volume has.")
  Size chunkSize;

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
  Endpoint receive;

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
    if (size != null && size.bytes() == 0) {
      throw new IllegalArgumentException("size 0: a positive multiple of 512");
    }
    return size == null ? 0 : size.bytes();
  }

  /** What the options say; those that do not go together are wrong use. */
  VolumeConfig checked(Supplier<VolumeConfig> config) {
    try {
      return config.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  VolumeConfig bare() {
    return new VolumeConfig(
        name,
        file.toAbsolutePath(),
        sizeBytes(),
        chunkSize == null ? 0 : (int) Math.min(chunkSize.bytes(), Integer.MAX_VALUE),
        metaFolder(),
        bitmapFolder(),
        List.of(),
        List.of(),
        receive,
        false,
        null,
        5_000,
        0,
        false,
        CoreTiming.DEFAULT,
        new TlsFiles("--tls-", null, null, null),
        null,
        new TlsFiles("--link-tls-", null, null, null),
        linkKey,
        io,
        VolumeConfig.CLIENTS_DEFAULT,
        null);
  }
}
