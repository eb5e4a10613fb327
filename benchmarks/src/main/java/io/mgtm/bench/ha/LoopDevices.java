package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The kernel's loop devices, which namespaces share, so that the death of one leaves its there. */
final class LoopDevices {
  private static final int EXEC_SECONDS = 60;

  private LoopDevices() {}

  /** Those of files in a machine's folder; they can be told only while it is alive. */
  static List<String> of(Machine machine, Path folder) throws IOException, InterruptedException {
    return machine
        .run(List.of("losetup", "-n", "-l", "-O", "NAME,BACK-FILE"))
        .lines()
        .filter(line -> line.contains(" " + folder + "/"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  /** What a reboot does. */
  static void detach(List<String> loops) throws IOException, InterruptedException {
    Wait.until(
        "the loop devices " + loops + " are let go",
        HaCluster.PATIENCE_SECONDS,
        () -> {
          String all = Exec.run(EXEC_SECONDS, List.of("losetup", "-n", "-l", "-O", "NAME"));
          List<String> left = all.lines().map(String::strip).filter(loops::contains).toList();
          for (String loop : left) {
            Exec.run(EXEC_SECONDS, List.of("losetup", "-d", loop));
          }
          return left.isEmpty();
        });
  }
}
