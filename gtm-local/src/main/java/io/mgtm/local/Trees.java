package io.mgtm.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Folders with what is in them. */
public final class Trees {
  private Trees() {}

  /** Deletes a folder or file, if it is there. */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
        for (Path entry : entries) {
          delete(entry);
        }
      }
    }
    Files.deleteIfExists(path);
  }
}
