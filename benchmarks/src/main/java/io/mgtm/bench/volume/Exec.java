package io.mgtm.bench.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs that end by themselves, each with a bound on its time. Any thread. */
public final class Exec {
  private Exec() {}

  /** Whether a program of that name is in one of the usual folders. */
  public static boolean has(String program) {
    for (String folder : List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin")) {
      if (Files.isExecutable(Path.of(folder, program))) {
        return true;
      }
    }
    return false;
  }

  /** The folder with the programs of the newest PostgreSQL of Debian's packages, or null. */
  public static Path postgres() {
    Path all = Path.of("/usr/lib/postgresql");
    if (!Files.isDirectory(all)) {
      return null;
    }
    try (Stream<Path> versions = Files.list(all)) {
      return versions
          .map(version -> version.resolve("bin"))
          .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
          .max(Path::compareTo)
          .orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a program is there and ends with status 0 in time. */
  public static boolean succeeds(int secondsMax, List<String> command) throws InterruptedException {
    try {
      run(secondsMax, command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Runs a program and answers what it printed.
   *
   * @throws IOException when it fails or takes longer, with its output
   */
  public static String run(int secondsMax, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("mgtm-bench", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended;
      try {
        ended = process.waitFor(secondsMax, TimeUnit.SECONDS);
      } finally {
        process.destroyForcibly(); // When it, or this thread, was not to go on.
      }
      String text = Files.readString(output);
      if (!ended || process.exitValue() != 0) {
        throw new IOException(
            String.join(" ", command)
                + (ended ? " failed: " : " took longer than " + secondsMax + " s: ")
                + text.strip());
      }
      return text;
    } finally {
      Files.deleteIfExists(output);
    }
  }
}
