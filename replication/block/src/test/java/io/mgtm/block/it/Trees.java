package io.mgtm.block.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders with what is in them. */
final class Trees {
  private Trees() {}

  static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> paths = Files.walk(folder)) {
      all = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  /** Copies a folder's files, not those in folders below it, into one that is made or there. */
  static void copy(Path folder, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> paths = Files.list(folder)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        Files.copy(path, to.resolve(path.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
