package io.mgtm.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The archive of the classes that the processes of a jar load, as the launcher makes and uses it:
 * {@code config/class-archive} is asked once for each jar. Any thread.
 */
public final class ClassArchive {
  private static final Map<Path, List<String>> known = new ConcurrentHashMap<>();

  private ClassArchive() {}

  /** The JVM's options by which {@code jar} starts faster; none where there can be no archive. */
  public static List<String> options(Path jar) {
    return known.computeIfAbsent(jar.toAbsolutePath(), ClassArchive::ask);
  }

  /** All options, in one line, for a process of {@code jar} that lives a few seconds. */
  public static String startFast(Path jar) {
    return String.join(" ", fast(jar));
  }

  /** The beginning of a command that runs {@code jar} in such a process; options may be added. */
  public static List<String> command(Path jar) {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(fast(jar));
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    return command;
  }

  private static List<String> fast(Path jar) {
    List<String> fast = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    fast.addAll(options(jar));
    return fast;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> ask(Path jar) {
    Path program = program();
    if (program == null || !Files.isRegularFile(jar)) {
      return List.of();
    }
    try {
      Process process =
          new ProcessBuilder("bash", program.toString(), java(), jar.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      process.getOutputStream().close();
      String options = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return options.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the folder that holds all modules; none where tests run away from it. */
  private static Path program() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path program = at.resolve("config").resolve("class-archive");
      if (Files.exists(program)) {
        return program;
      }
    }
    return null;
  }
}
