package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.GuardStep;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A controller that does nothing but guard and feed, for tests to kill: FOLDER, lease in ms, a
 * folder whose processes are guarded, a file that is removed.
 */
final class FeederMain {
  private static final int GUARD_MS = 60_000;

  private FeederMain() {}

  public static void main(String[] args) throws Exception {
    Watchdog watchdog = new Watchdog(Path.of(args[0]), GUARD_MS, "");
    long leaseNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[1]));
    watchdog.ensureRunning();
    Map<String, List<GuardStep>> guarded =
        Map.of(
            "db",
            List.of(new GuardStep.KillWorkingIn(args[2], "")),
            "ip",
            List.of(new GuardStep.Run(List.of("/bin/sh", "-c", args[3]), 5_000)));
    for (Map.Entry<String, List<GuardStep>> one : guarded.entrySet()) {
      watchdog.guard(one.getKey(), one.getValue(), System.nanoTime() + leaseNanos);
    }
    while (true) {
      for (String hierarchy : guarded.keySet()) {
        watchdog.feed(hierarchy, System.nanoTime() + leaseNanos);
      }
      Thread.sleep(50);
    }
  }
}
