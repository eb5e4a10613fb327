package io.mgtm.ha.console;

import io.mgtm.ha.api.ApiServer;
import io.mgtm.ha.api.ApiSetup;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.node.LocalCluster;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Controllers on loopback with their consoles; their kits only remember. */
final class ConsoleRig implements AutoCloseable {
  final LocalCluster cluster;
  private final List<String> names;
  private final Map<String, ApiServer> servers = new LinkedHashMap<>();

  private ConsoleRig(LocalCluster cluster, List<String> names) {
    this.cluster = cluster;
    this.names = names;
  }

  static ConsoleRig start(Path folder, List<String> names, String hierarchies) throws Exception {
    ConsoleRig rig = new ConsoleRig(new LocalCluster(folder, names, hierarchies), names);
    rig.cluster.start(names.toArray(String[]::new));
    for (String name : names) {
      rig.serve(name);
    }
    Await.until("a leader", () -> rig.cluster.leader().isPresent());
    return rig;
  }

  void serve(String name) throws IOException {
    servers.put(
        name,
        ApiServer.start(
            cluster.node(name),
            new ApiSetup(
                cluster.config().nodes().get(name).api(), ResourceCheck.NONE, Optional.empty())));
  }

  /** The console of a node answers no more. */
  void silence(String name) {
    servers.remove(name).close();
  }

  String url(String name) {
    return "http://" + cluster.config().nodes().get(name).api();
  }

  /** A node that does not lead, so that what is asked of it is passed on. */
  String follower() {
    String leader = cluster.awaitLeader();
    return names.stream()
        .filter(name -> !name.equals(leader) && !name.equals("w"))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    servers.values().forEach(ApiServer::close);
    cluster.close();
  }
}
