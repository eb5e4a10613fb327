package io.mgtm.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Signals to processes, as kill sends them. Any thread. */
public final class Signals {
  private static final int STOP_S = 60;

  private Signals() {}

  /**
   * Sends one by its name, for example CONT. A process that is told to STOP stands still on return.
   *
   * @throws IOException when there is no such process, or it does not stand still within a minute
   */
  public static void send(long pid, String signal) throws IOException, InterruptedException {
    int status = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -%s %d: status %d".formatted(signal, pid, status));
    }
    if (signal.equals("STOP")) {
      awaitStandstill(pid);
    }
  }

  /** On a busy machine its threads run on until the one that takes the signal is given its turn. */
  private static void awaitStandstill(long pid) throws IOException, InterruptedException {
    Path status = Path.of("/proc", Long.toString(pid), "stat");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_S);
    for (String line = ""; !line.startsWith("T", line.lastIndexOf(')') + 2); ) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "process %d does not stand still %d s after kill -STOP".formatted(pid, STOP_S));
      }
      TimeUnit.MILLISECONDS.sleep(1);
      line = Files.readString(status);
    }
  }
}
