package io.mgtm.bench;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** How the nodes that a benchmark starts are configured. */
final class NodeConfig {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file of every node. Default: none.")
  private Path file;

  /** As options of a node. */
  List<String> options() {
    return file == null ? List.of() : List.of("--config", file.toAbsolutePath().toString());
  }
}
