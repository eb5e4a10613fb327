package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Timing;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.ha.node.ClusterView.NodeStatus;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

  private static Stream<String> lines(Map<String, NodeStatus> heard) {
    ClusterView view =
        new ClusterView(
            "a", "", 1, 1, 40_000, List.of(), List.of(), List.of(), heard, ClusterState.EMPTY);
    return Metrics.text(view, CONFIG).lines();
  }

  @Test
  void aQuorumDiskAnswersTheNodesThatSaySo() {
    DiskReport votes = new DiskReport(null, 0, 1, "");
    DiskReport lost = new DiskReport(null, 0, 1, "it cannot be read");
    Map<String, NodeStatus> heard =
        Map.of(
            "a", new NodeStatus(1, Map.of("here", 10L), Map.of(), votes),
            "b", new NodeStatus(1, Map.of("path1", 20L), Map.of(), lost),
            "c", new NodeStatus(1, Map.of("path1", 90_000L), Map.of(), votes));
    assertThat(lines(heard).filter(line -> line.contains("disk_answers{")))
        .containsExactlyInAnyOrder(
            "mgtm_ha_quorum_disk_answers{node=\"a\"} 1.0",
            "mgtm_ha_quorum_disk_answers{node=\"b\"} 0.0",
            "mgtm_ha_quorum_disk_answers{node=\"c\"} 0.0");
  }

  @Test
  void aPathThatWasNeverHeardIsSilentForAsLongAsTheControllerRuns() {
    Map<String, NodeStatus> heard =
        Map.of(
            "a", new NodeStatus(1, Map.of("here", 10L), Map.of(), null),
            "b", new NodeStatus(1, Map.of("path1", 20L), Map.of(), null));
    assertThat(lines(heard).filter(line -> line.contains("silent_seconds{")))
        .containsExactlyInAnyOrder(
            "mgtm_ha_path_silent_seconds{node=\"a\",path=\"here\"} 0.01",
            "mgtm_ha_path_silent_seconds{node=\"b\",path=\"path1\"} 0.02",
            "mgtm_ha_path_silent_seconds{node=\"b\",path=\"path2\"} 40.0",
            "mgtm_ha_path_silent_seconds{node=\"c\",path=\"path1\"} 40.0",
            "mgtm_ha_path_silent_seconds{node=\"c\",path=\"path2\"} 40.0");
  }
}
