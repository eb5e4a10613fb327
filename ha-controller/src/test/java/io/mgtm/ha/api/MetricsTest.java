package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Timing;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.ha.node.ClusterView.NodeStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsTest {
  static final ClusterConfig CONFIG =
      new ClusterConfig(
          "shop",
          Timing.defaults(),
          Map.of("a", node(1, false), "b", node(2, false), "c", node(3, false), "w", node(4, true)),
          Map.of());

  private static Node node(int host, boolean witness) {
    HostPort first = new HostPort("10.0.0." + host, 7_901);
    List<HostPort> paths = List.of(first, new HostPort("10.1.0." + host, 7_901));
    return new Node("", witness, first, paths, first, "");
  }

  @Test
  void aPathThatWasNeverHeardIsSilentForAsLongAsTheControllerRuns() {
    Map<String, NodeStatus> heard =
        Map.of(
            "a", new NodeStatus(1, Map.of("here", 10L), Map.of()),
            "b", new NodeStatus(1, Map.of("path1", 20L), Map.of()));
    ClusterView view =
        new ClusterView(
            "a", "", 1, 1, 40_000, List.of(), List.of(), List.of(), heard, ClusterState.EMPTY);

    assertThat(Metrics.text(view, CONFIG).lines().filter(line -> line.contains("silent_seconds{")))
        .containsExactlyInAnyOrder(
            "mgtm_ha_path_silent_seconds{node=\"a\",path=\"here\"} 0.01",
            "mgtm_ha_path_silent_seconds{node=\"b\",path=\"path1\"} 0.02",
            "mgtm_ha_path_silent_seconds{node=\"b\",path=\"path2\"} 40.0",
            "mgtm_ha_path_silent_seconds{node=\"c\",path=\"path1\"} 40.0",
            "mgtm_ha_path_silent_seconds{node=\"c\",path=\"path2\"} 40.0");
  }
}
