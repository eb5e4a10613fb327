package io.mgtm.query.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs to their end, each with a bound on its time. Any thread; it waits. */
public final class LocalProgram {
  /** Far more than any of them takes on a busy machine. */
  private static final int WAIT_S = 300;

  private static final List<String> AS_POSTGRES =
      List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups");

  /**
   * A program's end.
   *
   * @param output standard output and standard error
   */
  public record Result(int status, String output) {}

  private LocalProgram() {}

  /**
   * Runs one, whatever its status is.
   *
   * @param folder where it runs, and where its output is kept meanwhile
   * @throws IOException when it cannot be started or does not end
   */
  public static Result run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "program", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile());
      builder.environment().put("PGCONNECT_TIMEOUT", "60");
      builder.environment().putAll(environment);
      Process process = builder.start();
      boolean ended = process.waitFor(WAIT_S, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      if (!ended) {
        throw new IOException(
            String.join(" ", command) + " has not ended in " + WAIT_S + " s: " + text);
      }
      return new Result(process.exitValue(), text);
    } finally {
      Files.delete(output);
    }
  }

  /**
   * Runs one that has to succeed; what it printed.
   *
   * @throws IOException with what it printed, when it failed
   */
  public static String succeed(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Result result = run(folder, environment, command);
    if (result.status() != 0) {
      throw new IOException(
          "%s ended with %d: %s"
              .formatted(String.join(" ", command), result.status(), result.output().strip()));
    }
    return result.output();
  }

  /** The command as the user postgres, when this is root, which PostgreSQL refuses to run as. */
  public static List<String> asPostgres(List<String> command) {
    List<String> whole = new ArrayList<>(isRoot() ? AS_POSTGRES : List.of());
    whole.addAll(command);
    return whole;
  }

  /** Whether this process may act as another user. */
  public static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }
}
