package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand.Activate;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Timing;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes come and go while real controllers run. */
@Tag("long")
class NodesChangeIT extends ChangingCluster {
  /** With a node at the addresses of another. */
  private ClusterConfig moved(ClusterConfig config, String node, String to) {
    Map<String, Node> nodes = new LinkedHashMap<>(config.nodes());
    Node at = cluster.config().nodes().get(to);
    nodes.put(node, new Node("", nodes.get(node).witness(), at.group(), at.paths(), at.api(), ""));
    return new ClusterConfig(config.cluster(), config.timing(), nodes, config.hierarchies());
  }

  /** Who leaves stops once it is out of the log; the other joins that, and is heard. */
  private void replace(String leaves, String joins, ClusterConfig next) throws Exception {
    Await.until("it knows", () -> cluster.node(leaves).view().state().configVersion() == 2);
    cluster.stop(leaves);
    cluster.start(next, joins);
    Await.until("it is heard", () -> cluster.node("a").view().nodes().containsKey(joins));
    Await.until("it has the state", () -> cluster.node(joins).view().state().configVersion() == 2);
    for (String knows : List.of("a", joins)) {
      Await.until("it votes in the other's place", () -> votes(knows, joins, leaves));
    }
  }

  private boolean votes(String knows, String joined, String left) {
    List<String> voters = cluster.node(knows).view().voters();
    return voters.contains(joined) && !voters.contains(left);
  }

  /** A machine is replaced by another, which then votes and is heard as the others are. */
  @Test
  void aNodeTakesAnothersPlace() throws Exception {
    List<String> on = List.of("a", "b");
    begins(with(on, "a", "b", "c"));
    String here = cluster.awaitWhere("orders");
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
  void theTimingChangesUnderWhatIsInService() throws Exception {
    ClusterConfig first = with(List.of("a", "b"), "a", "b", "c");
    begins(first);
    String here = cluster.awaitWhere("orders");
    long epoch = cluster.epoch("a", "orders");
    Timing shorter = new Timing(200, 10_000, 2_000, 5);
    ClusterConfig next =
        new ClusterConfig(first.cluster(), shorter, first.nodes(), first.hierarchies());

    assertThat(apply(next)).isEqualTo(new Reply(Outcome.DONE, ""));
    Await.until(
        "the former leases are over",
        () -> {
          ClusterState state = cluster.node("a").view().state();
          return state.configVersion() == 2 && state.former() == null;
        });
    assertThat(cluster.where("orders")).isEqualTo(Optional.of(here));
    assertThat(cluster.epoch("a", "orders")).isEqualTo(epoch);
  }

  /** It keeps its log, and the others find it by what they have agreed on. */
  @Test
  void aNodeGetsOtherAddresses() throws Exception {
    ClusterConfig first = with(List.of("a", "b"), "a", "b", "c");
    begins(first);
    ClusterConfig next = moved(first, "b", "d");
    assertThat(apply(next).text()).startsWith("b gets other addresses, and is not retired");

    cluster.ask(new Retire("b", Rest.STAYS));
    Await.until("moved", () -> cluster.where("orders").equals(Optional.of("a")));
    assertThat(apply(next)).isEqualTo(new Reply(Outcome.DONE, ""));
    cluster.stop("b");
    cluster.start(next, "b");
    Await.until("it has the state", () -> cluster.node("b").view().state().configVersion() == 2);
    Await.until("a leader", () -> cluster.leader().isPresent());
    assertThat(cluster.ask(new Activate("b")).outcome()).isEqualTo(Outcome.DONE);
    Await.until(
        "it serves",
        () -> {
          // Should b be silent for a moment while it moves, it comes back to where it was.
          if (cluster.where("orders").equals(Optional.of("a"))) {
            cluster.ask(new Switchover("orders", "b", false));
          }
          return cluster.where("orders").equals(Optional.of("b"));
        });
  }

  @Test
  void aWitnessGetsOtherAddresses() throws Exception {
    ClusterConfig first = with("c", List.of("a", "b"), "a", "b", "c");
    begins(first);
    ClusterConfig next = moved(first, "c", "d");
    assertThat(apply(next)).isEqualTo(new Reply(Outcome.DONE, ""));
    cluster.stop("c");
    cluster.start(next, "c");
    Await.until("it is connected", () -> cluster.node("a").view().connected().contains("c"));
    String here = cluster.awaitWhere("orders");
    // One of three may go, and the witness is of the two others.
    cluster.stop(here.equals("a") ? "b" : "a");
    Await.until("a leader of two", () -> cluster.leader().isPresent());
    assertThat(cluster.ask(new Retire(here, Rest.STAYS)).outcome()).isEqualTo(Outcome.DONE);
  }

  /** As docs/ha.md says under "Starting anew". */
  @Test
  void theClusterHasAnotherNameOnceAllHaveStartedAnew() throws Exception {
    ClusterConfig first = with("c", List.of("a", "b"), "a", "b", "c");
    begins(first);
    String here = cluster.awaitWhere("orders");
    ClusterConfig next =
        new ClusterConfig("other", first.timing(), first.nodes(), first.hierarchies());
    assertThat(apply(next).text()).contains("the cluster is named test, not other");

    cluster.ask(new Stop("orders"));
    Await.until("out", () -> cluster.state(here, here, "orders") == Report.State.OUT);
    for (String name : List.of("a", "b", "c")) {
      cluster.stop(name);
      Path home = folder.resolve(name);
      Files.move(home.resolve("data"), home.resolve("data.old"));
    }
    begins(next);
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
