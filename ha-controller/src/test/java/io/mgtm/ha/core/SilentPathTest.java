package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.DecisionRows.BY_ITSELF;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Lead;
import io.mgtm.ha.core.ClusterCommand.SilentPath;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Networks;
import io.mgtm.ha.model.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Nodes on two networks, as b1 sees them, which leads. */
class SilentPathTest {
  private static final SilentPath SILENT = new SilentPath("a2", "path2", true);

  private final ClusterState state = led(2);
  private final long leaseMs = state.timing().leaseMs();

  private static ClusterState led(int networks) {
    ClusterConfig one = Clusters.config(BY_ITSELF);
    Map<String, Node> nodes = new LinkedHashMap<>(one.nodes());
    nodes.replaceAll((name, node) -> Networks.on(node, networks));
    ClusterConfig config = new ClusterConfig("test", one.timing(), nodes, one.hierarchies());
    return apply(ClusterState.EMPTY, 0, new Configure(config, 0), new Lead(1, "b1"));
  }

  private List<ClusterCommand> decided(
      ClusterState known, long contactMs, Map<String, Long> pathsOfA2) {
    Map<String, NodeView> views = new TreeMap<>();
    for (String node : known.config().nodes().keySet()) {
      Map<String, Long> here = Map.of("here", 9L);
      Map<String, Long> both = Map.of("path1", 9L, "path2", 9L);
      Map<String, Long> paths = node.equals("a2") ? pathsOfA2 : node.equals("b1") ? here : both;
      views.put(node, new NodeView(9, contactMs, null, Set.of(), Map.of(), paths));
    }
    return Decisions.decide(new Observation(0, known, views)).stream()
        .map(Decision::command)
        .filter(SilentPath.class::isInstance)
        .toList();
  }

  private static Map<String, Long> heard(long agoMs) {
    return Map.of("path1", 9L, "path2", agoMs);
  }

  @Test
  void isToldAfterALease() {
    assertThat(decided(state, leaseMs + 1, heard(leaseMs))).isEmpty();
    assertThat(decided(state, leaseMs + 1, heard(leaseMs + 1))).containsExactly(SILENT);
    assertThat(decided(state, leaseMs + 1, Map.of("path1", 9L))).containsExactly(SILENT);
  }

  @Test
  void isNotToldByALeaderThatStoodStill() {
    assertThat(decided(state, leaseMs, heard(leaseMs + 1))).isEmpty();
    assertThat(decided(state, 0, heard(leaseMs * 9L))).isEmpty();
  }

  @Test
  void isToldOnceAndWhenItIsOver() {
    ClusterState told = apply(state, 0, SILENT);
    assertThat(told.events().get(told.events().size() - 1).what()).isEqualTo("is silent on path2");
    assertThat(decided(told, leaseMs + 1, heard(leaseMs + 1))).isEmpty();
    assertThat(decided(told, 0, Map.of())).isEmpty();
    SilentPath over = new SilentPath("a2", "path2", false);
    assertThat(decided(told, 1, heard(9))).containsExactly(over);
    assertThat(decided(apply(told, 0, over), 1, heard(9))).isEmpty();
  }

  /** It sends nothing on them, and is heard by the log. */
  @Test
  void isNotToldOfAWitness() {
    ClusterConfig two = state.config();
    Map<String, Node> nodes = new LinkedHashMap<>(two.nodes());
    nodes.replaceAll(
        (name, node) ->
            name.equals("a2") ? new Node("", true, null, node.paths(), null, "") : node);
    ClusterConfig config = new ClusterConfig("test", two.timing(), nodes, Map.of());
    ClusterState known = apply(ClusterState.EMPTY, 0, new Configure(config, 0), new Lead(1, "b1"));
    assertThat(decided(known, leaseMs + 1, Map.of("log", 9L))).isEmpty();
  }

  private List<ClusterCommand> decided(ClusterState known, long silentMs, String wrong) {
    Heartbeat of =
        new Heartbeat(
            "test", "a2", 1, 1, 0, Seen.NOTHING, 0, Map.of(), new DiskReport(null, 0, 0, wrong));
    NodeView view = new NodeView(silentMs, 0, of, Set.of(), Map.of(), Map.of());
    return Decisions.decide(new Observation(0, known, Map.of("a2", view))).stream()
        .map(Decision::command)
        .filter(SilentPath.class::isInstance)
        .toList();
  }

  /** By a leader that hears the node itself. */
  @Test
  void isAQuorumDiskThatDoesNotVoteForANode() {
    ClusterState known = led(1);
    SilentPath lost = new SilentPath("a2", ClusterConfig.QUORUM_DISK, true);
    SilentPath back = new SilentPath("a2", ClusterConfig.QUORUM_DISK, false);
    assertThat(decided(known, 9, "")).isEmpty();
    assertThat(decided(known, 9, "it cannot be read")).containsExactly(lost);
    ClusterState told = apply(known, 0, lost);
    assertThat(told.events().get(told.events().size() - 1).what())
        .isEqualTo("gets no vote of the quorum disk");
    assertThat(decided(told, 9, "it cannot be read")).isEmpty();
    assertThat(decided(told, leaseMs + 1, "")).isEmpty();
    assertThat(decided(told, 9, "")).containsExactly(back);
    // The disk is no network, on which a leader sends nothing.
    assertThat(decided(apply(told, 0, new Lead(2, "a2")), 9, "it cannot be read")).isEmpty();
  }

  @Test
  void isNotToldOfASingleOne() {
    assertThat(decided(led(1), leaseMs + 1, Map.of())).isEmpty();
  }
}
