package io.mgtm.block.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which volumes this user has on this machine: one small file a volume, named after it, that holds
 * the path of its metadata directory, and where several copies are here, one a line. The directory
 * is {@code $MGTM_VOLUMES}, else {@code ~/.mgtm/volumes}.
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

  /** Adds a copy, and forgets those of the same name whose directories are gone. */
  void add(String name, Path meta) throws IOException {
    Files.createDirectories(folder);
    Path entry = folder.resolve(name);
    Set<String> lines = new LinkedHashSet<>();
    if (Files.exists(entry)) {
      read(entry).stream().filter(Files::isDirectory).forEach(path -> lines.add(path.toString()));
    }
    lines.add(meta.toAbsolutePath().normalize().toString());
    Files.writeString(entry, String.join("\n", lines) + "\n");
  }

  /** The directory of the one copy that is here. */
  Path meta(String name) throws IOException {
    Path entry = folder.resolve(name);
    if (!Files.exists(entry)) {
      throw new IOException(
          "volume "
              + name
              + " is not known here; 'mgtm volume list' shows those that are, or give --meta");
    }
    List<Path> all = read(entry);
    List<Path> present = all.stream().filter(Files::isDirectory).toList();
    if (present.size() > 1) {
      throw new IOException(
          "there are "
              + present.size()
              + " copies of volume "
              + name
              + " here; give --meta with one of "
              + present);
    }
    if (present.isEmpty()) {
      throw new IOException(
          "the metadata directory of volume " + name + " is gone: " + all + "; give --meta");
    }
    return present.get(0);
  }

  /** By name, the directories of all copies. */
  Map<String, List<Path>> all() throws IOException {
    Map<String, List<Path>> all = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
        for (Path entry : entries) {
          all.put(entry.getFileName().toString(), read(entry));
        }
      }
    }
    return all;
  }

  private static List<Path> read(Path entry) throws IOException {
    List<Path> paths = new ArrayList<>();
    for (String line : Files.readAllLines(entry)) {
      if (!line.isBlank()) {
        paths.add(Path.of(line.strip()));
      }
    }
    return paths;
  }
}
