package io.mgtm.ha.kit;

import io.mgtm.testing.Await;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A controller that is killed while a program of a kit is under way. */
public final class KilledController {
  private static final long DEADLINE_MS = 600_000;
  private static final int KEPT_BYTES = 1_024;

  private KilledController() {}

  /** The controller: runs a script, which is noted in the folder where it works. */
  public static void main(String[] args) throws KitException, InterruptedException {
    Path folder = Path.of(args[0]);
    List<String> command = List.of("/bin/sh", "-c", args[1]);
    Programs.run(new Program(command, Map.of(), folder, DEADLINE_MS, KEPT_BYTES, folder));
  }

  /**
   * Has a controller run a script that makes a file {@code begun}, and kills it then.
   *
   * @param folder where the script works
   */
  public static void leave(Path folder, String script) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Process controller =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx32m",
                "-cp",
                System.getProperty("java.class.path"),
                KilledController.class.getName(),
                folder.toString(),
                script)
            .redirectErrorStream(true)
            .redirectOutput(new File(folder.toFile(), "log"))
            .start();
    try {
      Await.until(
          "the program has begun; " + folder.resolve("log"),
          () -> Files.exists(folder.resolve("begun")) && isNoted(folder));
    } finally {
      controller.destroyForcibly().waitFor();
    }
  }

  /** Whether it stands there who the program is. */
  private static boolean isNoted(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(
          file ->
              file.getFileName().toString().startsWith("running-") && file.toFile().length() > 0);
    }
  }

  /** How many processes work in a folder. */
  public static long working(Path folder) {
    Path real = Processes.real(folder);
    return Processes.all().stream().filter(one -> one.worksIn(real, "")).count();
  }
}
