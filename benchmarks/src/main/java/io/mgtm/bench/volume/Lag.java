package io.mgtm.bench.volume;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** How far a replica is behind, looked at again and again until told to stop. */
final class Lag implements AutoCloseable {
  private static final int LOOK_MS = 200;

  private final Programs programs;
  private final Path file;
  private final Thread thread = new Thread(this::look, "bench-lag");
  private volatile long mostBytes;
  private volatile boolean ended;

  private Lag(Programs programs, Path file) {
    this.programs = programs;
    this.file = file;
  }

  /** Begins to look at the first replica of the volume over {@code file}. */
  static Lag of(Programs programs, Path file) {
    Lag lag = new Lag(programs, file);
    lag.thread.setDaemon(true);
    lag.thread.start();
    return lag;
  }

  private void look() {
    try {
      while (!ended) {
        mostBytes = Math.max(mostBytes, programs.queuedBytes(file));
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
    } catch (IOException | InterruptedException e) {
      ended = true; // Whoever drives the volume is told by its own request.
    }
  }

  /** The most that was under way so far. */
  long mostBytes() {
    return mostBytes;
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
  }
}
