package io.mgtm.bench.fault;

import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** An installation whose nodes read a configuration file. */
final class ConfiguredNodes {
  private ConfiguredNodes() {}

  /**
   * The settings with a file of such a content.
   *
   * @param folder that the file is written to
   */
  static LocalSettings of(LocalSettings settings, Path folder, String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("gtm.yaml"), yaml);
    return settings.withNodeOptions(
        Stream.concat(settings.nodeOptions().stream(), Stream.of("--config", file.toString()))
            .toList());
  }
}
