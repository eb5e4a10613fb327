package io.mgtm.block.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which volumes this user has on this machine: one small file a volume, named after it, that holds
 * the path of its metadata directory. The directory is {@code $MGTM_VOLUMES}, else {@code
 * ~/.mgtm/volumes}.
 */
final class Registry {
  private final Path folder;

  Registry() {
    String given = System.getenv("MGTM_VOLUMES");
    folder =
        given == null
            ? Path.of(System.getProperty("user.home"), ".mgtm", "volumes")
            : Path.of(given);
  }

  void add(String name, Path meta) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(name), meta.toAbsolutePath() + "\n");
  }

  Path meta(String name) throws IOException {
    Path entry = folder.resolve(name);
    if (!Files.exists(entry)) {
      throw new IOException(
          "volume "
              + name
              + " is not known here; 'mgtm volume list' shows those that are, or give --meta");
    }
    return Path.of(Files.readString(entry).strip());
  }

  Map<String, Path> all() throws IOException {
    Map<String, Path> all = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
        for (Path entry : entries) {
          all.put(entry.getFileName().toString(), Path.of(Files.readString(entry).strip()));
        }
      }
    }
    return all;
  }
}
