package io.mgtm.bench.volume;

import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.failover.SlowLine;
import io.mgtm.bench.report.LineTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** A volume whose replica is behind a line, beside the same without it. One thread. */
public final class WanVolumes {
  private static final String NEAR = "near";
  private static final String FAR = "far";
  private static final int PORT = 7_800;
  private static final long WAIT_NS_MAX = TimeUnit.MINUTES.toNanos(2);

  /** Every other chunk changes before it catches up. */
  private static final long STRIDE_BYTES = 2 * ResyncBench.CHUNK_BYTES;

  /**
   * What to measure.
   *
   * @param line in netem's words
   * @param size of the volume, such as 64M
   * @param seconds of each run of fio
   * @param depths how many writes are under way at once, in turn
   * @param warmup seconds of writes, as many at once as ever, before anything counts
   * @param javaOptions for the volumes' JVMs
   */
  public record Settings(
      String line,
      String size,
      double seconds,
      List<Integer> depths,
      double warmup,
      List<String> javaOptions) {
    public Settings {
      depths = List.copyOf(depths);
      javaOptions = List.copyOf(javaOptions);
    }
  }

  /** What writes of one depth did, and how far the replica was behind. */
  private record Writes(Fio.Figures figures, long behindBytes, double behindSeconds) {
    double behindKib() {
      return behindBytes / 1_024.0;
    }
  }

  /** All that is measured with the line in one state. */
  private record Figures(List<Writes> writes, ResyncBench.Run resync, ResyncBench.Run cut) {}

  private final Settings settings;
  private final Consumer<String> problems;
  private final Consumer<String> progress;

  /**
   * One that has not begun.
   *
   * @param problems told what was lost, or sent without need
   * @param progress told what begins
   */
  public WanVolumes(Settings settings, Consumer<String> problems, Consumer<String> progress) {
    this.settings = settings;
    this.problems = problems;
    this.progress = progress;
  }

  /** Measures an asynchronous replica, then a synchronous one. */
  public void measure(LineTable table) throws IOException, InterruptedException {
    for (String mode : List.of("async", "sync")) {
      try (ProcessNetwork network = ProcessNetwork.make(List.of(NEAR, FAR));
          VolumeSetup setup =
              VolumeSetup.make(null, settings.size(), settings.seconds(), settings.javaOptions())) {
        SlowLine line = SlowLine.in(network);
        line.put(List.of(FAR));
        new Pair(mode, network, setup, line).measure(table);
      }
    }
  }

  /** A volume and its replica in one mode. */
  private final class Pair {
    private final String mode;
    private final VolumeSetup setup;
    private final SlowLine line;
    private final Programs programs;
    private final String address;
    private final Path near;
    private final Path far;
    private final ResyncBench resyncs;

    Pair(String mode, ProcessNetwork network, VolumeSetup setup, SlowLine line) {
      this.mode = mode;
      this.setup = setup;
      this.line = line;
      this.programs = setup.programs().placed(network::place);
      this.address = network.address(FAR) + ":" + PORT;
      this.near = setup.memory().resolve(NEAR);
      this.far = setup.memory().resolve(FAR);
      this.resyncs = new ResyncBench(programs, setup.fio(), setup.memory(), 1);
    }

    void measure(LineTable table) throws IOException, InterruptedException {
      progress.accept("a volume and its replica start, mode " + mode);
      String key = key().toString();
      try (Servant target =
              programs.volume(FAR, far, with("--receive", address, "--link-key", key));
          Servant source =
              programs.volume(
                  NEAR, near, with("--replica", address, "--mode", mode, "--link-key", key))) {
        source.await("is up to date", WAIT_NS_MAX, () -> programs.isUpToDate(near));
        setup.fio().fill(programs.socket(NEAR));
        warmUp();
        awaitConfirmed(source);
        progress.accept("it writes without the line");
        Figures without = figures(source);
        progress.accept("it writes over the line");
        line.slow(settings.line());
        Figures over = figures(source);
        print(table, without, over);
        target.checkAlive();
      }
    }

    private void warmUp() throws IOException, InterruptedException {
      int most = Collections.max(settings.depths());
      long end = System.nanoTime() + (long) (settings.warmup() * 1e9);
      do {
        setup.fio().warmUp(programs.socket(NEAR), "randwrite", most);
      } while (System.nanoTime() - end < 0);
    }

    /** A bit for each chunk that the replica may lack and no more, so that it can be counted. */
    private String[] with(String... options) {
      List<String> all = new ArrayList<>(List.of(options));
      all.addAll(List.of("--bits-kept", "0", "--bit-cooling-ms", "1000"));
      all.addAll(List.of("--path-timeout-ms", "10000"));
      return all.toArray(String[]::new);
    }

    private Path key() throws IOException {
      Path file = Files.writeString(setup.folder().resolve("link.key"), "ab".repeat(32) + "\n");
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private Figures figures(Servant source) throws IOException, InterruptedException {
      List<Writes> writes = new ArrayList<>();
      for (int depth : settings.depths()) {
        writes.add(writes(source, depth));
      }
      ResyncBench.Run resync = null;
      ResyncBench.Run cut = null;
      if (isAsync()) {
        awaitConfirmed(source);
        resync = resyncs.sprinkled(source, STRIDE_BYTES);
        check("a resync", resync);
        awaitConfirmed(source);
        cut = cut(source);
        check("the resync after a cut", cut);
      }
      awaitConfirmed(source);
      if (Files.mismatch(near, far) != -1) {
        problems.accept("mode " + mode + ": the replica is not what the volume is");
      }
      return new Figures(writes, resync, cut);
    }

    private boolean isAsync() {
      return mode.equals("async");
    }

    private Writes writes(Servant source, int depth) throws IOException, InterruptedException {
      try (Lag lag = Lag.of(programs, near)) {
        Fio.Figures figures = setup.fio().random(programs.socket(NEAR), "randwrite", depth);
        long begun = System.nanoTime();
        source.await("has sent all", WAIT_NS_MAX, () -> programs.queuedBytes(near) == 0);
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (!programs.isUpToDate(near)) {
          problems.accept("mode " + mode + ": the replica was lost under load");
        }
        return new Writes(figures, lag.mostBytes(), seconds);
      }
    }

    /** Until the replica has all again after the line was cut, and written to meanwhile. */
    private ResyncBench.Run cut(Servant source) throws IOException, InterruptedException {
      progress.accept("the line is cut");
      line.cut();
      setup.fio().sprinkle(programs.socket(NEAR), STRIDE_BYTES);
      source.await("sees the cut", WAIT_NS_MAX, () -> !programs.isUpToDate(near));
      long begun = System.nanoTime();
      line.mend();
      source.await("has caught up", WAIT_NS_MAX, () -> programs.isUpToDate(near));
      return resyncs.caughtUp(begun);
    }

    private void check(String what, ResyncBench.Run run) throws IOException {
      long changed = Files.size(near) / STRIDE_BYTES * ResyncBench.CHUNK_BYTES;
      if (run.bytes() != changed) {
        problems.accept(
            String.format(
                Locale.ROOT, "%s sent %,d bytes, and %,d had changed", what, run.bytes(), changed));
      }
    }

    private void awaitConfirmed(Servant source) throws IOException, InterruptedException {
      source.await(
          "knows that the replica has all",
          WAIT_NS_MAX,
          () -> programs.status(near).path("links").path(0).path("bitsSet").asLong() == 0);
    }

    private void print(LineTable table, Figures without, Figures over) {
      for (int i = 0; i < settings.depths().size(); i++) {
        String what = "volume, " + mode + ", depth " + settings.depths().get(i) + ": ";
        Writes one = without.writes().get(i);
        Writes two = over.writes().get(i);
        row(table, what + "writes of 4 KiB", "/s", one, two, of -> of.figures().perSecond());
        row(table, what + "median", "ms", one, two, of -> of.figures().p50Us() / 1_000);
        row(table, what + "99 %", "ms", one, two, of -> of.figures().p99Us() / 1_000);
        if (isAsync()) {
          row(table, what + "replica behind, at most", "KiB", one, two, Writes::behindKib);
          row(table, what + "until it has all", "s", one, two, Writes::behindSeconds);
        }
      }
      if (isAsync()) {
        printCatchUp(table, "resync of every other chunk", without.resync(), over.resync());
        printCatchUp(table, "the same after a cut, reconnection", without.cut(), over.cut());
      }
    }

    private void row(
        LineTable table,
        String what,
        String unit,
        Writes without,
        Writes over,
        ToDoubleFunction<Writes> figure) {
      table.row(what, unit, figure.applyAsDouble(without), figure.applyAsDouble(over));
    }

    private void printCatchUp(
        LineTable table, String what, ResyncBench.Run without, ResyncBench.Run over) {
      table.row("volume, " + what, "MB", without.bytes() / 1e6, over.bytes() / 1e6);
      table.row("volume, " + what, "s", without.seconds(), over.seconds());
      table.row("volume, " + what, "MB/s", without.megabytesPerSecond(), over.megabytesPerSecond());
    }
  }
}
