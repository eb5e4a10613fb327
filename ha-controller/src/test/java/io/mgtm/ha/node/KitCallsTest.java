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
import java.util.List;
import java.util.Map;
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
}
