package io.mgtm.testing;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;

/** Waits for what must come, however slow the machine is at the moment. */
public final class Await {
  /**
   * What has not come by then does not come. Other work may take both processors for a while, so
   * that what takes a second takes twenty.
   */
  public static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final Duration POLL_FIRST = Duration.ofMillis(5);

  /** What is long in coming is asked for less often: some conditions cost much. */
  private static final Duration POLL_MAX = Duration.ofMillis(50);

  private Await() {}

  /**
   * Waits until the condition holds. Asks on the thread that waits.
   *
   * @throws org.awaitility.core.ConditionTimeoutException when it did not within {@link #PATIENCE}
   */
  public static void until(String what, Callable<Boolean> condition) {
    asking(what).until(condition);
  }

  /** Waits until there is one. */
  public static <T> T present(String what, Callable<Optional<T>> one) {
    return asking(what).until(one, Optional::isPresent).orElseThrow();
  }

  /** Waits until assertions hold; shows the last that did not. */
  public static void untilAsserted(String what, org.awaitility.core.ThrowingRunnable assertions) {
    asking(what).untilAsserted(assertions);
  }

  private static Duration longer(Duration poll) {
    Duration next = poll.multipliedBy(5).dividedBy(4);
    return next.compareTo(POLL_MAX) < 0 ? next : POLL_MAX;
  }

  private static ConditionFactory asking(String what) {
    return Awaitility.await(what)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(IterativePollInterval.iterative(Await::longer, POLL_FIRST))
        .atMost(PATIENCE);
  }
}
