package io.mgtm.ha.node;

import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Controllers of which nodes come and go, with one hierarchy. */
abstract class ChangingCluster {
  @TempDir Path folder;
  LocalCluster cluster;

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

  final ClusterConfig with(List<String> on, String... names) {
    return with("", on, names);
  }

  final ClusterConfig with(String witness, List<String> on, String... names) {
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

  final void begins(ClusterConfig config) throws Exception {
    cluster.start(config, config.nodes().keySet().toArray(String[]::new));
    Await.until("a leader", () -> cluster.leader().isPresent());
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  final Reply apply(ClusterConfig config) {
    String leader = cluster.awaitLeader();
    long version = cluster.node(leader).view().state().configVersion();
    return cluster.ask(new Configure(config, version));
  }
}
