package io.mgtm.gtm.cli;

import io.mgtm.testing.ClassArchive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The runnable jar as a process of its own, for tests. */
final class JarProcess implements AutoCloseable {
  static final Path JAR = Path.of("target", "mgtm-gtm.jar").toAbsolutePath();
  private static final int WAIT_S = 180;

  private final Process process;
  private final Path errors;

  /** How a process ended, and the lines of its standard error that are no log lines. */
  record End(int status, List<String> messages) {}

  private JarProcess(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  /** Starts {@code java -jar}, its standard error in a file of {@code scratch}. */
  static JarProcess start(Path scratch, String... arguments) throws IOException {
    List<String> command = ClassArchive.command(JAR);
    command.addAll(List.of(arguments));
    return launch(scratch, command);
  }

  static JarProcess launch(Path scratch, List<String> command) throws IOException {
    Path errors = Files.createTempFile(scratch, "process", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    return new JarProcess(builder.start(), errors);
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** The first line of standard output; null when there is none. */
  String firstLine() throws IOException {
    return new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  void terminate() {
    process.destroy();
  }

  End end() throws IOException, InterruptedException {
    if (!process.waitFor(WAIT_S, TimeUnit.SECONDS)) {
      throw new IOException("still running after " + WAIT_S + " s: " + Files.readString(errors));
    }
    try (var lines = Files.lines(errors)) {
      return new End(
          process.exitValue(), lines.filter(l -> !l.matches("\\d{4}-\\d\\d-\\d\\dT.*")).toList());
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      if (!process.waitFor(WAIT_S, TimeUnit.SECONDS)) {
        throw new IOException("cannot be killed: " + process.pid());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
