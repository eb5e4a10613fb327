package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import io.mgtm.local.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The kernel's loop devices, which namespaces share, so that the death of one leaves its there.
 * Each call is given what makes a command one that runs on a machine.
 */
public final class LoopDevices {
  private static final int EXEC_SECONDS = 60;

  private LoopDevices() {}

  /** Those of files in a machine's folder; they can be told only while it is alive. */
  public static List<String> of(UnaryOperator<List<String>> inside, Path folder)
      throws IOException, InterruptedException {
    List<String> list = List.of("losetup", "-n", "-l", "-O", "NAME,BACK-FILE");
    return Exec.run(EXEC_SECONDS, inside.apply(list))
        .lines()
        .filter(line -> line.contains(" " + folder + "/"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  /** What a reboot does, by another machine of the same kernel. */
  public static void detach(UnaryOperator<List<String>> inside, List<String> loops)
      throws IOException, InterruptedException {
    List<String> list = List.of("losetup", "-n", "-l", "-O", "NAME");
    Wait.until(
        "the loop devices " + loops + " are let go",
        HaCluster.PATIENCE_SECONDS,
        () -> {
          String all = Exec.run(EXEC_SECONDS, inside.apply(list));
          List<String> left = all.lines().map(String::strip).filter(loops::contains).toList();
          for (String loop : left) {
            Exec.run(EXEC_SECONDS, inside.apply(List.of("losetup", "-d", loop)));
          }
          return left.isEmpty();
        });
  }
}
