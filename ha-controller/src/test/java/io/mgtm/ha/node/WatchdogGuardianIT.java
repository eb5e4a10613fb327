package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.watchdog.GuardPlan;
import io.mgtm.ha.watchdog.Watchdog;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class WatchdogGuardianIT {
  private static final String H = "orders";
  private static final String CLASSES = "java.class.path";
  private static final int GUARD_MS = 10_000;

  private final String classes = System.getProperty(CLASSES);
  @TempDir private Path runtime;

  @AfterEach
  void nothingIsLeft() {
    System.setProperty(CLASSES, classes);
    killWatchdogs();
  }

  private void killWatchdogs() {
    Path work = Processes.real(runtime.resolve("watchdog"));
    Await.until("no watchdog", () -> Processes.kill(one -> one.worksIn(work, "java")) == 0);
  }

  private boolean isGuarded() {
    try {
      return new Watchdog(runtime.resolve("watchdog"), GUARD_MS, "").plan(H).endsSomething();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Else it would end again and again what is begun beside, such as a volume's replica. */
  @Test
  void whatTheWatchdogWasNotToldItIsToldLater() throws Exception {
    WatchdogGuardian before = WatchdogGuardian.start(runtime, GUARD_MS, "");
    long end = TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) + 600_000;
    List<GuardStep> steps = List.of(new GuardStep.Run(List.of("true"), 1_000));
    before.guard(H, GuardPlan.inOrder(steps), end, GUARD_MS).join();
    before.close();
    killWatchdogs();

    System.setProperty(CLASSES, "no such file");
    WatchdogGuardian after = WatchdogGuardian.start(runtime, GUARD_MS, "");
    CompletableFuture<?> told = after.guard(H, GuardPlan.NOTHING, 0, GUARD_MS);
    assertThatThrownBy(told::join).hasMessageContaining("a watchdog runs");
    System.setProperty(CLASSES, classes);

    Await.until("it is told", () -> !isGuarded());
    after.close();
  }
}
