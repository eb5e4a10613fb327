package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.cli.Main;
import io.mgtm.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs other programs in tests, each with a bound on its time. */
final class Tools {
  private Tools() {}

  /** A program's end. */
  record Result(int code, String output) {
    Result succeeded() {
      assertThat(code).as("exit code, output:%n%s", output).isZero();
      return this;
    }
  }

  static boolean has(String program) {
    for (String folder :
        List.of(
            "/usr/bin",
            "/usr/sbin",
            "/bin",
            "/sbin",
            "/usr/local/bin",
            "/usr/lib/postgresql/15/bin")) {
      if (Files.isExecutable(Path.of(folder, program))) {
        return true;
      }
    }
    return false;
  }

  /** Skips the test, and says why, when a program is missing. */
  static void need(String... programs) {
    for (String program : programs) {
      boolean there = has(program);
      if (!there) {
        System.out.println("SKIPPED: " + program + " is not installed");
      }
      Assumptions.assumeTrue(there, program + " is not installed");
    }
  }

  /** Runs a command of {@code mgtm volume} in this process, as a user who lives in {@code home}. */
  static Result volume(Path home, String... words) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    String before = System.getProperty("user.home");
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    System.setProperty("user.home", home.toString());
    try {
      int code = Main.commandLine().execute(words);
      return new Result(code, said.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
      System.setProperty("user.home", before);
    }
  }

  static Result run(Path folder, String... command) throws IOException, InterruptedException {
    return run(folder, Map.of(), List.of(command));
  }

  static Result run(Path folder, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "tool", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
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
}
