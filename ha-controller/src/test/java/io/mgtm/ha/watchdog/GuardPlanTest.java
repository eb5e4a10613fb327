package io.mgtm.ha.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GuardPlanTest {
  private static GuardStep step(String name) {
    return new GuardStep.Run(List.of(name), 1_000);
  }

  private static Resource on(String... below) {
    return new Resource("script", List.of(below), Map.of(), Map.of());
  }

  /**
   * Two scripts side by side on a file system on a volume; nothing is known of the pool between.
   */
  private static GuardPlan plan() {
    Map<String, Resource> resources = new LinkedHashMap<>();
    resources.put("volume", on());
    resources.put("pool", on("volume"));
    resources.put("data", on("pool"));
    resources.put("one", on("data"));
    resources.put("two", on("data"));
    return GuardPlan.of(
        new Hierarchy(List.of("a"), Policy.defaults(), resources),
        Map.of(
            "volume", List.of(step("volume")),
            "data", List.of(step("writer"), step("umount")),
            "one", List.of(step("one")),
            "two", List.of(step("two"))));
  }

  @Test
  void aResourceIsEndedAfterThoseThatStandOnIt() {
    GuardPlan plan = plan();
    assertThat(plan.steps())
        .containsExactly(step("two"), step("one"), step("writer"), step("umount"), step("volume"));
    assertThat(plan.after())
        .containsExactly(List.of(), List.of(), List.of(0, 1), List.of(2), List.of(3));
    assertThat(GuardPlan.inOrder(plan.steps()).after())
        .containsExactly(List.of(), List.of(0), List.of(1), List.of(2), List.of(3));
  }

  @Test
  void othersAreEndedSideBySideAndNoFailureHoldsAnythingUp() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    CountDownLatch both = new CountDownLatch(2);
    List<GuardStep> done = new CopyOnWriteArrayList<>();
    try {
      boolean clean =
          plan()
              .begin(
                  threads,
                  step -> {
                    if (done.size() < 2 && both.getCount() > 0) {
                      both.countDown();
                      awaitBoth(both);
                    }
                    done.add(step);
                    if (step.equals(step("two"))) {
                      throw new IllegalStateException("it fails");
                    }
                    return true;
                  })
              .get(5, TimeUnit.MINUTES);
      assertThat(clean).isFalse();
      assertThat(done).hasSize(5);
      assertThat(done.subList(2, 5))
          .containsExactly(step("writer"), step("umount"), step("volume"));
    } finally {
      threads.shutdownNow();
    }
  }

  private static void awaitBoth(CountDownLatch both) {
    try {
      assertThat(both.await(5, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
