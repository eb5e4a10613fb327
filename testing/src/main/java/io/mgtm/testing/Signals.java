package io.mgtm.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Signals to processes that a test has not started itself. Any thread. */
public final class Signals {
  private Signals() {}

  /**
   * A process stands still on return. On a busy machine its threads run on after kill -STOP, until
   * the one that takes the signal is given its turn.
   */
  public static void stop(long pid) {
    try {
      new ProcessBuilder("kill", "-STOP", Long.toString(pid)).inheritIO().start().onExit().join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Path status = Path.of("/proc", Long.toString(pid), "stat");
    Await.until(
        pid + " stands still",
        () -> {
          String line = Files.readString(status);
          return line.startsWith("T", line.lastIndexOf(')') + 2);
        });
  }
}
