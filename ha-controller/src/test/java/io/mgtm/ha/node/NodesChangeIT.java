package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes come and go while real controllers run. */
@Tag("long")
class NodesChangeIT {
  @TempDir private Path folder;
  private LocalCluster cluster;

  @AfterEach
  void stopAll() {
    cluster.close();
  }

  @BeforeEach
  void fiveAddresses() throws Exception {
    cluster =
        new LocalCluster(
            folder,
            List.of("a", "b", "c", "d", "e"),
            """
            hierarchies:
              orders:
                nodes: [a, b]
                resources:
                  one: {kit: fake}
            """);
  }

  private ClusterConfig with(List<String> on, String... names) {
    return with("", on, names);
  }

  private ClusterConfig with(String witness, List<String> on, String... names) {
    ClusterConfig all = cluster.config();
    Map<String, Node> nodes = new LinkedHashMap<>();
    for (String name : names) {
      Node of = all.nodes().get(name);
      nodes.put(name, new Node("", name.equals(witness), of.group(), of.paths(), of.api(), ""));
    }
    Hierarchy orders = all.hierarchies().get("orders");
    return new ClusterConfig(
        all.cluster(),
        all.timing(),
        nodes,
        Map.of("orders", new Hierarchy(on, orders.policy(), orders.resources())));
  }

  private void begins(ClusterConfig config) throws Exception {
    cluster.start(config, config.nodes().keySet().toArray(String[]::new));
    Await.until("a leader", () -> cluster.leader().isPresent());
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  private Reply apply(ClusterConfig config) {
    String leader = cluster.leader().orElseThrow();
    long version = cluster.node(leader).view().state().configVersion();
    return cluster.ask(new Configure(config, version));
  }

  /** Who leaves stops once it is out of the log; the other joins that, and is heard. */
  private void replace(String leaves, String joins, ClusterConfig next) throws Exception {
    Await.until("it knows", () -> cluster.node(leaves).view().state().configVersion() == 2);
    cluster.stop(leaves);
    cluster.start(next, joins);
    Await.until("it is heard", () -> cluster.node("a").view().nodes().containsKey(joins));
    Await.until("it has the state", () -> cluster.node(joins).view().state().configVersion() == 2);
  }

  /** A machine is replaced by another, which then votes and is heard as the others are. */
  @Test
  void aNodeTakesAnothersPlace() throws Exception {
    List<String> on = List.of("a", "b");
    begins(with(on, "a", "b", "c"));
    String here = cluster.where("orders").orElseThrow();
    ClusterConfig next = with(on, "a", "b", "d");
    assertThat(apply(next).text()).startsWith("c leaves, and is not retired");

    cluster.ask(new Retire("c", Rest.STOPS));
    assertThat(apply(next)).isEqualTo(new Reply(Outcome.DONE, ""));
    replace("c", "d", next);
    // One of three may go, and d is of the two others.
    String gone = here.equals("a") ? "b" : "a";
    cluster.stop(gone);
    Await.until("a leader of two", () -> cluster.leader().isPresent());
    assertThat(cluster.ask(new Retire(gone, Rest.STOPS)).outcome()).isEqualTo(Outcome.DONE);
    assertThat(cluster.where("orders")).isEqualTo(Optional.of(here));
  }

  @Test
  void aNodeTakesAnothersPlaceBesideAWitness() throws Exception {
    begins(with("c", List.of("a", "b"), "a", "b", "c"));
    cluster.ask(new Retire("b", Rest.STOPS));
    Await.until("moved", () -> cluster.where("orders").equals(Optional.of("a")));

    ClusterConfig next = with("c", List.of("a", "d"), "a", "d", "c");
    assertThat(apply(next)).isEqualTo(new Reply(Outcome.DONE, ""));
    replace("b", "d", next);
    cluster.stop("c");
    Await.until("a leader of two", () -> cluster.leader().isPresent());
    assertThat(cluster.ask(new Retire("a", Rest.STAYS)).outcome()).isEqualTo(Outcome.DONE);
    Await.until("d has it", () -> cluster.state("d", "d", "orders") == Report.State.IN);
  }
}
