package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * A client that inserts numbered rows, one after the other, and remembers which were acknowledged.
 * When its connection is lost it connects again, until it is closed.
 */
public final class Commits implements AutoCloseable {
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int LIST_SECONDS = 120;

  /** A port that nobody listens on is not waited for. */
  private static final String PROBE = "timeout 0.3 bash -c ': </dev/tcp/%s/%d' 2>/dev/null";

  private final Engine engine;
  private final UnaryOperator<List<String>> client;
  private final String host;
  private final Path log;
  private final Thread thread = new Thread(this::run, "mgtm-ha-commits");
  private final Acknowledgements rows = new Acknowledgements();
  private volatile boolean closed;
  private volatile Process session;

  private Commits(Engine engine, UnaryOperator<List<String>> client, String host, Path log) {
    this.engine = engine;
    this.client = client;
    this.host = host;
    this.log = log;
  }

  /**
   * What became of acknowledged rows.
   *
   * @param lost how many are not there
   * @param suffix whether they are the last before the longest wait, so that what is there from
   *     before it is a prefix of what was acknowledged
   */
  public record Verdict(int lost, boolean suffix) {}

  /**
   * Makes the table, and begins.
   *
   * @param client makes a command one that runs on the client's machine, with the same input
   * @param log for what the sessions say
   */
  public static Commits start(
      Engine engine, UnaryOperator<List<String>> client, String host, Path log)
      throws IOException, InterruptedException {
    Commits commits = new Commits(engine, client, host, log);
    commits.query("create table numbered (n bigint primary key)");
    commits.mark();
    commits.thread.setDaemon(true);
    commits.thread.start();
    return commits;
  }

  private void run() {
    while (!closed) {
      try {
        insertUntilItFails();
      } catch (IOException e) {
        // The next one connects again.
      } finally {
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  private void insertUntilItFails() throws IOException {
    if (!answers()) {
      return;
    }
    Process process =
        new ProcessBuilder(client.apply(engine.session(host)))
            .redirectError(Redirect.appendTo(log.toFile()))
            .start();
    session = process;
    try (Writer statements = process.outputWriter(StandardCharsets.UTF_8);
        BufferedReader answers =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      while (!closed) {
        int number = rows.take();
        statements.write(
            String.format(Locale.ROOT, "insert into numbered values (%d) returning n;%n", number));
        statements.flush();
        boolean done = String.valueOf(number).equals(answers.readLine());
        ended(number, done);
        if (!done) {
          return;
        }
        LockSupport.parkNanos(BETWEEN_NANOS);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private boolean answers() throws IOException {
    String probe = PROBE.formatted(host, engine.port());
    Process process =
        new ProcessBuilder(client.apply(List.of("/bin/sh", "-c", probe)))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    return process.onExit().join().exitValue() == 0;
  }

  private void ended(int number, boolean done) {
    if (done) {
      rows.done(number);
    } else if (!closed) {
      rows.missed();
    }
  }

  /** Forgets the longest wait so far. */
  public void mark() {
    rows.mark();
  }

  /** The longest time without an acknowledged commit since the mark, also one that goes on. */
  public double longestMs() {
    return rows.longestMs();
  }

  /** Acknowledged so far. */
  public long count() {
    return rows.count();
  }

  /** Sent, and neither acknowledged nor refused in order. */
  public long failed() {
    return rows.failed();
  }

  /** Waits for so many more. */
  public void awaitMore(int more, int secondsMax) throws IOException, InterruptedException {
    rows.awaitMore(more, secondsMax);
  }

  /** Runs a statement with a session of its own, and answers what it printed. */
  String query(String statement) throws IOException, InterruptedException {
    String session = String.join("' '", engine.session(host));
    String line = "printf '%s;\\n' \"$1\" | '" + session + "'";
    return Exec.run(LIST_SECONDS, client.apply(List.of("/bin/sh", "-c", line, "sh", statement)));
  }

  /** Looks which acknowledged rows are there. What is lost is not looked for again. */
  public Verdict verify() throws IOException, InterruptedException {
    BitSet wanted = rows.all();
    BitSet there = new BitSet();
    query("select n from numbered").lines().forEach(line -> there.set(Integer.parseInt(line)));
    BitSet lost = (BitSet) wanted.clone();
    lost.andNot(there);
    if (lost.isEmpty()) {
      return new Verdict(0, true);
    }
    rows.forget(lost);
    BitSet last = wanted.get(lost.nextSetBit(0), Math.max(rows.beforeLongest() + 1, lost.length()));
    return new Verdict(lost.cardinality(), last.cardinality() == lost.cardinality());
  }

  @Override
  public void close() {
    closed = true;
    if (session != null) {
      session.destroyForcibly();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
