package io.mgtm.block.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The archive of an agent's loaded classes, which halves the time that each of the tests' many
 * agents takes to start. Made once beside the jar by running an agent for a moment; an agent starts
 * without it too.
 */
final class ClassArchive {
  private static List<String> options;

  private ClassArchive() {}

  /** The JVM's options that use it; none when it could not be made. */
  static synchronized List<String> options(List<String> java, Path jar)
      throws IOException, InterruptedException {
    if (options == null) {
      Path archive = Path.of(jar + ".jsa").toAbsolutePath();
      boolean fresh =
          Files.exists(archive)
              && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) > 0;
      options =
          fresh || make(java, jar, archive)
              ? List.of(
                  "-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
              : List.of();
    }
    return options;
  }

  private static boolean make(List<String> java, Path jar, Path archive)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mgtm-archive");
    try {
      Path made = folder.resolve("classes.jsa");
      Path disk = folder.resolve("disk");
      List<String> command = new ArrayList<>(java);
      command.addAll(List.of("-XX:ArchiveClassesAtExit=" + made, "-jar", jar.toString(), "start"));
      command.addAll(List.of("--name", "archive", "--file", disk.toString(), "--size", "1M"));
      command.addAll(List.of("--listen", "unix:" + folder.resolve("nbd")));
      command.addAll(List.of("--receive", "127.0.0.1:0", "--replica", "127.0.0.1:1"));
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile());
      builder.environment().put("MGTM_VOLUMES", folder.resolve("known").toString());
      Process process = builder.start();
      Path control = Path.of(disk + ".meta", "control.sock");
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!Files.exists(control) && process.isAlive() && System.nanoTime() < end) {
        process.waitFor(20, TimeUnit.MILLISECONDS);
      }
      process.destroy();
      if (!process.waitFor(180, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      if (!Files.exists(made)) {
        return false;
      }
      Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
      return true;
    } finally {
      Trees.delete(folder);
    }
  }
}
