package io.mgtm.bench.scenario;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Programs of the machine that a test looks for and asks. Any thread. */
public final class Tool {
  private Tool() {}

  /** What a program came to; what it printed, errors too. */
  public record Ended(int status, String printed) {}

  /**
   * Runs a program to its end.
   *
   * @throws IOException when there is none of that name
   */
  public static Ended run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), printed);
  }

  /** Whether a program is there and ends with status 0. */
  public static boolean succeeds(List<String> command) {
    try {
      return run(command).status() == 0;
    } catch (IOException e) {
      return false; // There is no such program.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
