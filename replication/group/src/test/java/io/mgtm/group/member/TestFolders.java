package io.mgtm.group.member;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Folders of members. */
final class TestFolders {
  private TestFolders() {}

  /** Copies a folder; from the beginning again when a thread of the log drops a file meanwhile. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try {
      for (Path file : files(from)) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    } catch (NoSuchFileException e) {
      delete(to);
      copy(from, to);
    }
  }

  /** Deletes a folder of files. */
  static void delete(Path folder) throws IOException {
    for (Path file : files(folder)) {
      Files.delete(file);
    }
    Files.delete(folder);
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
