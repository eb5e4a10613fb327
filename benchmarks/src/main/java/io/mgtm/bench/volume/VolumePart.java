package io.mgtm.bench.volume;

import io.mgtm.bench.report.Citation;
import io.mgtm.bench.report.Comparison;
import io.mgtm.bench.report.Comparison.Better;
import io.mgtm.bench.report.Measured;
import io.mgtm.bench.report.Part;
import io.mgtm.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Volumes in the report: alone, replicated, and a resync. One thread. */
public final class VolumePart implements Part {
  private static final String GUIDE =
      "DRBD User's Guide 8.4, Optimizing DRBD throughput: Throughput overhead expectations";
  private static final String HANDED_DOWN =
      "handed down in this project's issue 15; no publication of it is known here";

  private final List<Integer> depths;
  private final int rounds;
  private final double seconds;
  private final String size;
  private final int secondsMax;

  private final Figures alone = new Figures("Unreplicated, 4 KiB at random", "nbdkit");
  private final Figures replicated =
      new Figures("Replicated in mode sync over the loopback, in memory", "qemu quorum");
  private Comparison resync;

  /**
   * One that has not begun.
   *
   * @param depths how many requests are under way at once, in turn
   * @param seconds of each run of fio
   * @param size of each volume, such as 512M
   */
  public VolumePart(List<Integer> depths, int rounds, double seconds, String size, int secondsMax) {
    this.depths = List.copyOf(depths);
    this.rounds = rounds;
    this.seconds = seconds;
    this.size = size;
    this.secondsMax = secondsMax;
    resync =
        Comparison.of("Resync over the loopback, in memory, " + size, "MB/s", Better.HIGHER, "");
  }

  @Override
  public String id() {
    return "volume";
  }

  @Override
  public String title() {
    return "Volumes";
  }

  @Override
  public int secondsMax() {
    return secondsMax;
  }

  @Override
  public List<Citation> citations() {
    return List.of(
        new Citation(
            "DRBD, what replication takes from the throughput of disk or network", "< 3 %", GUIDE),
        new Citation("DRBD over gigabit Ethernet (110 MB/s)", "about 107 MB/s", GUIDE),
        new Citation(
            "mail delivered to ext4 on DRBD, connected, to the same without DRBD",
            "0.95 (1,575 to 1,663 a minute)",
            "R. Coker, https://etbe.coker.com.au/2012/02/08/more-drbd-performance-tests/"),
        new Citation(
            "an earlier system's database with synchronous replication, 64 clients, to none",
            "0.89",
            HANDED_DOWN),
        new Citation(
            "an earlier system's resync of 20 GB", "2 minutes (about 170 MB/s)", HANDED_DOWN));
  }

  @Override
  public Optional<String> missing() {
    List<String> packages = new ArrayList<>();
    if (!Exec.has("fio")) {
      packages.add("fio");
    }
    if (!Exec.has("nbdkit")) {
      packages.add("nbdkit");
    }
    if (!Exec.has("qemu-storage-daemon")) {
      packages.add("qemu-system-common");
    }
    return packages.isEmpty()
        ? Optional.empty()
        : Optional.of("not installed; install Debian's " + String.join(", ", packages));
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    try (VolumeSetup setup = setup()) {
      new BaselineBench(setup.programs(), setup.fio(), setup.folder(), depths, rounds)
          .measure(
              (load, depth, of) ->
                  alone.add(load, depth, of, BaselineBench.SERVERS, BaselineBench.SERVERS));
    }
    try (VolumeSetup setup = setup()) {
      new ReplicatedBench(setup.programs(), setup.fio(), setup.memory(), depths, rounds)
          .measure(
              (load, depth, of) ->
                  replicated.add(
                      load,
                      depth,
                      of,
                      List.of("volume", "quorum"),
                      List.of("volume", "qemu quorum")));
    }
    try (VolumeSetup setup = setup()) {
      new ResyncBench(setup.programs(), setup.fio(), setup.memory(), rounds)
          .measure(
              (what, runs) ->
                  resync =
                      resync.with(
                          what, "volume", Spread.of(runs, ResyncBench.Run::megabytesPerSecond)));
    }
  }

  @Override
  public Measured found() {
    return new Measured(
        List.of(alone.perSecond, alone.p99, replicated.perSecond, replicated.p99, resync),
        List.of(
            "What a write finds on the way to the disk is the page cache, for all servers alike."
                + " Not measured by the report: each way to the disk, the flash library, and"
                + " pgbench with and without a replica; run ./mgtm bench volume --only"
                + " io,flash,postgres."),
        List.of());
  }

  private VolumeSetup setup() throws IOException {
    return VolumeSetup.make(null, size, seconds, List.of());
  }

  /** What fio said of several servers. */
  private static final class Figures {
    private Comparison perSecond;
    private Comparison p99;

    Figures(String title, String reference) {
      perSecond = Comparison.of(title, "operations a second", Better.HIGHER, reference);
      p99 = Comparison.of(title + ", 99th percentile", "µs", Better.LOWER, reference);
    }

    void add(String load, int depth, Rounds of, List<String> servers, List<String> titles) {
      String under = "%s, depth %d".formatted(load, depth);
      for (int i = 0; i < servers.size(); i++) {
        String server = servers.get(i);
        perSecond = perSecond.with(under, titles.get(i), of.spread(server, Fio.Figures::perSecond));
        p99 = p99.with(under, titles.get(i), of.spread(server, Fio.Figures::p99Us));
      }
    }
  }
}
