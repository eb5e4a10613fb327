package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.core.Call;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.KitException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class KitCallsTest {
  private static final KitContext CONTEXT =
      new KitContext("db", "app", "a", List.of("b"), Map.of(), Path.of("run"), 1_000);

  /** Takes nothing out, whatever it says of that. */
  private record Stopped(Kit.Health after) implements Kit {
    @Override
    public String name() {
      return "stopped";
    }

    @Override
    public List<Parameter> parameters() {
      return List.of();
    }

    @Override
    public void inService(KitContext context) {}

    @Override
    public void outOfService(KitContext context) {}

    @Override
    public Health quickCheck(KitContext context) {
      return after;
    }

    @Override
    public List<GuardStep> guard(KitContext context) {
      return List.of();
    }
  }

  private static ResourceState stop(Kit.Health after) throws Exception {
    return KitCalls.result(Call.Kind.OUT_OF_SERVICE, new Stopped(after), CONTEXT).state();
  }

  @Test
  void whatIsInServiceAfterItsStopIsNotOut() {
    assertThatThrownBy(() -> stop(Kit.Health.in("status 0")))
        .isInstanceOf(KitException.class)
        .hasMessage("it was taken out without an error, and is in service still: status 0");
  }

  @Test
  void stopIsBelievedOfWhatIsOutOrCannotBeLookedAt() throws Exception {
    assertThat(stop(Kit.Health.out("status 3"))).isEqualTo(ResourceState.OUT);
    assertThat(stop(Kit.Health.failed("status 1"))).isEqualTo(ResourceState.OUT);
  }

  private static Call call(long id, String hierarchy, Call.Kind kind) {
    return new Call(id, hierarchy, "app", kind, 0, Map.of());
  }

  private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

  /** Many checks at once are no reason to call what is well failed. */
  @Test
  void aCheckWaitsForItsTurnAndNothingElseDoes() throws Exception {
    BlockingQueue<Map.Entry<Long, Call.Result>> ended = new LinkedBlockingQueue<>();
    List<Runnable> deadlines = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch hangs = new CountDownLatch(1);
    Call.Result in = new Call.Result(ResourceState.IN, "well", Map.of());
    try (KitCalls calls =
        new KitCalls(
            (id, result) -> ended.add(Map.entry(id, result)),
            (ms, task) -> deadlines.add(task),
            1)) {
      calls.begin(
          call(1, "a", Call.Kind.QUICK_CHECK),
          9,
          NOW,
          () -> {
            begun.countDown();
            awaitWhateverComes(hangs);
            return in;
          });
      calls.begin(call(2, "b", Call.Kind.QUICK_CHECK), 9, NOW, () -> in);
      calls.begin(call(3, "c", Call.Kind.DEEP_CHECK), 9, NOW, () -> in);
      assertThat(List.of(calls.isWaiting(1), calls.isWaiting(2), calls.isWaiting(3)))
          .containsExactly(false, true, true);
      calls.begin(call(4, "a", Call.Kind.OUT_OF_SERVICE), 9, NOW, () -> in);
      assertThat(ended.take().getKey()).as("a stop waits for no check").isEqualTo(4);
      calls.interruptAll("b");
      assertThat(ended.take().getValue().detail()).isEqualTo("quick check was not begun");

      begun.await();
      deadlines.get(0).run();

      Map.Entry<Long, Call.Result> third = ended.take();
      assertThat(third.getKey()).as("nobody waits for one that hangs for ever").isEqualTo(3);
      assertThat(third.getValue()).isEqualTo(in);
      hangs.countDown();
      assertThat(ended.take().getKey()).isEqualTo(1);
    }
  }

  private static void awaitWhateverComes(CountDownLatch latch) {
    boolean open = false;
    while (!open) {
      try {
        latch.await();
        open = true;
      } catch (InterruptedException e) {
        // As one that hangs in the kernel.
      }
    }
  }
}
