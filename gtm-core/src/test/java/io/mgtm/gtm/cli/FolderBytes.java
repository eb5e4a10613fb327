package io.mgtm.gtm.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Every byte of a flat folder. */
record FolderBytes(Map<String, ByteBuffer> files) {
  static FolderBytes of(Path folder) throws IOException {
    Map<String, ByteBuffer> files = new TreeMap<>();
    for (String name : names(folder)) {
      Path file = folder.resolve(name);
      if (Files.isRegularFile(file)) {
        files.put(name, ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    return new FolderBytes(files);
  }

  static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  static void delete(Path folder) throws IOException {
    for (String name : names(folder)) {
      Files.delete(folder.resolve(name));
    }
    Files.delete(folder);
  }

  @Override
  public String toString() {
    return files.keySet().toString();
  }
}
