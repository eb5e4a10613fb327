package io.mgtm.bench;

import io.mgtm.local.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a command keeps data and logs; a mixin. */
public final class WorkFolder {
  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      description = "Where data and logs stay. Default: a temporary folder that is deleted.")
  private Path folder;

  /** What is done in a folder. */
  @FunctionalInterface
  public interface Work<T> {
    T in(Path own) throws IOException, InterruptedException;
  }

  /**
   * Does something in it.
   *
   * @param temporary how a temporary one begins
   * @param below a folder in that which stays; empty for itself
   */
  public <T> T use(String temporary, String below, Work<T> work)
      throws IOException, InterruptedException {
    if (folder != null) {
      return work.in(Files.createDirectories(folder.toAbsolutePath().resolve(below)));
    }
    Path own = Files.createTempDirectory(temporary);
    try {
      return work.in(own);
    } finally {
      Trees.delete(own);
    }
  }
}
