package io.mgtm.ha.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GuardTimeTest {
  private static Resource script(Map<String, String> parameters, String... on) {
    return new Resource("script", List.of(on), parameters, Map.of());
  }

  private static Map<String, String> warnings(Map<String, Resource> resources) {
    Hierarchy hierarchy = new Hierarchy(List.of("a", "b"), Policy.defaults(), resources);
    return GuardTime.warnings(
        new ClusterConfig("c", Timing.defaults(), Map.of(), Map.of("orders", hierarchy)));
  }

  @Test
  void scriptsThatStandOnEachOtherTakeLongerThanAnotherNodeWaits() {
    Map<String, Resource> chain = new LinkedHashMap<>();
    chain.put("low", script(Map.of()));
    chain.put("killed", script(Map.of("pidFile", "/run/app.pid"), "low"));
    chain.put("high", script(Map.of("guard", "sleep 0.8"), "killed"));
    assertThat(warnings(chain))
        .containsOnlyKeys("hierarchies.orders")
        .hasEntrySatisfying(
            "hierarchies.orders",
            why ->
                assertThat(why)
                    .contains("2000 ms for high, low")
                    .contains("timing.guardMs (1000)")
                    .contains("set timing.guardMs to 2000 or more"));
  }

  @Test
  void thoseSideBySideDoNot() {
    assertThat(warnings(Map.of("one", script(Map.of()), "two", script(Map.of())))).isEmpty();
  }
}
