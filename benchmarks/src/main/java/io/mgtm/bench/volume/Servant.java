package io.mgtm.bench.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server's process, ended with this object. One thread.
 *
 * <p>What it prints goes to a file, whose end is in the message when it does not come up.
 */
public final class Servant implements AutoCloseable {
  /** An emulated processor takes a minute for what takes a second elsewhere. */
  private static final long READY_NS_MAX = TimeUnit.MINUTES.toNanos(4);

  private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int END_SECONDS_MAX = 20;
  private static final int SHOWN_LINES_MAX = 5;

  /** Something that becomes true. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws IOException;
  }

  private final String name;
  private final Path log;
  private final Process process;

  private Servant(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts a program and waits until {@code ready}.
   *
   * @throws IOException when it cannot be started, ends, or is not ready in time
   * @throws InterruptedException when this thread is interrupted; the program has ended then
   */
  public static Servant start(String name, Path folder, List<String> command, Condition ready)
      throws IOException, InterruptedException {
    Path log = folder.resolve(name + ".log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Servant servant = new Servant(name, log, process);
    try {
      servant.await("is ready", ready);
    } catch (IOException | InterruptedException e) {
      servant.close();
      throw e;
    }
    return servant;
  }

  /**
   * Waits until the condition holds.
   *
   * @throws IOException when the process ends before, or after four minutes
   */
  void await(String what, Condition condition) throws IOException, InterruptedException {
    await(what, READY_NS_MAX, condition);
  }

  /** Like {@link #await(String, Condition)} with a bound of its own. */
  void await(String what, long nsMax, Condition condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + nsMax;
    while (!condition.holds()) {
      if (!process.isAlive()) {
        throw new IOException(name + " ended before it " + what + ": " + lastLines());
      }
      if (System.nanoTime() > end) {
        throw new IOException(name + " took too long until it " + what + ": " + lastLines());
      }
      TimeUnit.NANOSECONDS.sleep(STEP_NS);
    }
  }

  /**
   * Sees whether it still runs.
   *
   * @throws IOException when it has ended
   */
  void checkAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(name + " ended: " + lastLines());
    }
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Ends it at once, as kill -9 does, and waits until it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join(
        " / ", lines.subList(Math.max(0, lines.size() - SHOWN_LINES_MAX), lines.size()));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
