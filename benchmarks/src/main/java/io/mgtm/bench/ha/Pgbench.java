package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Load by pgbench, which is started again whenever its last client has lost its connection. */
final class Pgbench implements AutoCloseable {
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int INIT_SECONDS = 300;

  private final List<String> command;
  private final Path log;
  private final Thread thread = new Thread(this::run, "mgtm-ha-pgbench");
  private final AtomicLong aborted = new AtomicLong();
  private volatile boolean closed;
  private volatile Process process;

  private Pgbench(List<String> command, Path log) {
    this.command = command;
    this.log = log;
  }

  /**
   * Fills pgbench's tables, and begins.
   *
   * @param engine whose pgbench it is
   * @param rate transactions a second of all clients together
   */
  static Pgbench start(Machine client, Engine engine, int clients, int rate, Path log)
      throws IOException, InterruptedException {
    String program = Exec.postgres().resolve("pgbench").toString();
    Exec.run(
        INIT_SECONDS,
        client.network(List.of(program, "-i", "-q", engine.patient(HaSetup.ADDRESS))));
    List<String> command = new ArrayList<>(List.of(program, "-n", "-c", "" + clients));
    command.addAll(List.of("-R", "" + rate, "-T", "1000000", engine.connection(HaSetup.ADDRESS)));
    Pgbench load = new Pgbench(client.network(command), log);
    load.thread.setDaemon(true);
    load.thread.start();
    return load;
  }

  private void run() {
    while (!closed) {
      try {
        once();
      } catch (IOException e) {
        // It is started again.
      } finally {
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  private void once() throws IOException {
    Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
    process = run;
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(run.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (line.contains(" aborted ") && !closed) {
          aborted.incrementAndGet();
        }
        Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    } finally {
      run.destroyForcibly();
    }
  }

  /** Transactions whose connection was lost: a client ends with the first. */
  long failed() {
    return aborted.get();
  }

  @Override
  public void close() {
    closed = true;
    if (process != null) {
      process.destroyForcibly();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
