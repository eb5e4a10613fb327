package io.mgtm.bench.query;

import io.mgtm.bench.ha.ControlGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A control group with a bound on processor time, of version 2 or 1. One thread. */
final class CpuCap implements AutoCloseable {
  private static final int PERIOD_US = 20_000;
  private static final Path ALL = Path.of("/sys/fs/cgroup");

  private final Path folder;

  private CpuCap(Path folder) {
    this.folder = folder;
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
   */
  static CpuCap make(String name, int percent) throws IOException {
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
    return new CpuCap(folder);
  }

  /** What these start from here on is in it too. */
  void add(List<ProcessHandle> processes) throws IOException {
    for (ProcessHandle process : processes) {
      Files.writeString(folder.resolve("cgroup.procs"), "" + process.pid());
    }
  }

  @Override
  public void close() throws IOException {
    ControlGroup.removeOnceEmpty(folder);
  }
}
