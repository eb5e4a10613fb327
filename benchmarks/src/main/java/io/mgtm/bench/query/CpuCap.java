package io.mgtm.bench.query;

import io.mgtm.bench.ha.ControlGroup;
import io.mgtm.bench.volume.Exec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A control group with a bound on processor time, of version 2 or 1. What is in it runs on one
 * processor only: the kernel hands the bound out in slices, and with two processors one would take
 * it all in a period while who waits at the other gets none, for several periods in a row. One
 * thread.
 */
final class CpuCap implements AutoCloseable {
  private static final int PERIOD_US = 20_000;
  private static final Path ALL = Path.of("/sys/fs/cgroup");

  private static final int PIN_SECONDS = 10;

  private final Path folder;
  private final int processor;

  private CpuCap(Path folder, int processor) {
    this.folder = folder;
    this.processor = processor;
  }

  /** Whether this system has such groups, and this process may make them. */
  static boolean isPossible() {
    return isSecond() || Files.isWritable(ALL.resolve("cpu/cpu.cfs_quota_us"));
  }

  private static boolean isSecond() {
    try {
      return Files.readString(ALL.resolve("cgroup.subtree_control")).contains("cpu");
    } catch (IOException e) {
      return false; // no group of version 2 is mounted there
    }
  }

  /**
   * Makes one.
   *
   * @param percent of one processor
   * @param processor its number, taken modulo as many as there are
   */
  static CpuCap make(String name, int percent, int processor) throws IOException {
    Path parent = isSecond() ? ALL : ALL.resolve("cpu");
    Path folder =
        Files.createDirectory(
            parent.resolve("mgtm-bench-%d-%s".formatted(ProcessHandle.current().pid(), name)));
    int quotaUs = PERIOD_US * percent / 100;
    if (isSecond()) {
      Files.writeString(folder.resolve("cpu.max"), quotaUs + " " + PERIOD_US);
    } else {
      Files.writeString(folder.resolve("cpu.cfs_period_us"), "" + PERIOD_US);
      Files.writeString(folder.resolve("cpu.cfs_quota_us"), "" + quotaUs);
    }
    return new CpuCap(folder, processor % Runtime.getRuntime().availableProcessors());
  }

  /** What these start from here on is in it too. */
  void add(List<ProcessHandle> processes) throws IOException, InterruptedException {
    for (ProcessHandle process : processes) {
      String id = "" + process.pid();
      Exec.run(PIN_SECONDS, List.of("taskset", "-pc", "" + processor, id));
      Files.writeString(folder.resolve("cgroup.procs"), id);
    }
  }

  @Override
  public void close() throws IOException {
    ControlGroup.removeOnceEmpty(folder);
  }
}
