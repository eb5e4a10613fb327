package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.watchdog.GuardSteps;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** What tests of kits have in common. */
public final class Rig {
  private static final long DEADLINE_MS = 120_000;

  /** Of a test's own programs, which stand still when the machine does. */
  private static final long PROGRAM_MS = 600_000;

  private final Path folder;

  Rig(Path folder) throws IOException {
    this.folder = folder;
    // Databases run as users of their own, and get through to what is theirs.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  KitContext context(String resource, Map<String, String> parameters) {
    return context(resource, DEADLINE_MS, parameters);
  }

  KitContext context(String resource, long deadlineMs, Map<String, String> parameters) {
    return new KitContext(
        "db",
        resource,
        "node1",
        List.of("node2"),
        parameters,
        folder.resolve("runtime").resolve(resource),
        deadlineMs);
  }

  /** Skips the test, and says why, where it cannot be run. */
  public static void need(String... programs) {
    needThat("root".equals(System.getProperty("user.name")), "this needs root");
    for (String program : programs) {
      needThat(
          Stream.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/lib/postgresql/15/bin")
              .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
          program + " is not installed");
    }
  }

  /** Skips the test, and says why, unless it {@code holds}. */
  public static void needThat(boolean holds, String otherwise) {
    if (!holds) {
      System.out.println("SKIPPED: " + otherwise);
    }
    Assumptions.assumeTrue(holds, "SKIPPED: " + otherwise);
  }

  /** The kernel lets go of a group when the last of its processes was waited for. */
  static void removeGroup(KitContext context) {
    Await.until("the control group is gone", () -> Cgroup.remove(context));
  }

  static String run(String... command) throws KitException, InterruptedException {
    return Programs.run(Program.of(Deadline.in(PROGRAM_MS), command)).succeeded().output().strip();
  }

  /** What a script prints. */
  public static String shell(String script) throws KitException, InterruptedException {
    return run("/bin/sh", "-c", script);
  }

  static void assertIn(Kit.Health health) {
    assertThat(health.state()).as(health.detail()).isEqualTo(Kit.Health.State.IN_SERVICE);
  }

  static void assertOut(Kit.Health health) {
    assertThat(health.state()).as(health.detail()).isEqualTo(Kit.Health.State.OUT_OF_SERVICE);
  }

  static void assertFailed(Kit.Health health) {
    assertThat(health.state()).as(health.detail()).isEqualTo(Kit.Health.State.FAILED);
  }

  private static boolean isDone(GuardStep step) throws InterruptedException {
    try {
      return GuardSteps.isDone(step);
    } catch (IOException e) {
      return false; // as the watchdog does, again
    }
  }

  /** Does what the watchdog would, until nothing is left. */
  static void guard(Kit kit, KitContext context) {
    List<GuardStep> steps = kit.guard(context);
    Await.until(
        "nothing is left to guard",
        () -> {
          boolean left = false;
          for (GuardStep step : steps) {
            left |= !isDone(step);
          }
          return !left;
        });
  }
}
