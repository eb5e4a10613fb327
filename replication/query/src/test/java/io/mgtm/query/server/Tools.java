package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs PostgreSQL's programs, each with a bound on its time. */
final class Tools {
  static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

  private Tools() {}

  /** A program's end. */
  record Result(int code, String output) {
    Result succeeded() {
      assertThat(code).as("exit code, output:%n%s", output).isZero();
      return this;
    }
  }

  /** Skips the class, and says why, where there is no PostgreSQL 15. */
  static void needPostgres() {
    boolean there = Files.isExecutable(PROGRAMS.resolve("initdb"));
    if (!there) {
      System.out.println("SKIPPED: PostgreSQL 15 is not installed");
    }
    Assumptions.assumeTrue(there, "PostgreSQL 15 is not installed");
  }

  static Result run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "tool", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(output.toFile());
    builder.environment().put("PGCONNECT_TIMEOUT", "60");
    builder.environment().putAll(environment);
    Process process = builder.directory(folder.toFile()).start();
    boolean ended = process.waitFor(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String text = Files.readString(output, StandardCharsets.UTF_8);
    Files.delete(output);
    assertThat(ended).as("%s ended within %s, output:%n%s", command, Await.PATIENCE, text).isTrue();
    return new Result(process.exitValue(), text);
  }

  /** As the user postgres when the tests run as root, which PostgreSQL refuses to. */
  static Result asPostgres(Path folder, String... command)
      throws IOException, InterruptedException {
    List<String> whole = new ArrayList<>();
    if (isRoot()) {
      whole.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
    }
    whole.addAll(List.of(command));
    return run(folder, Map.of("HOME", "/nonexistent"), whole);
  }

  static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }
}
