package io.mgtm.ha.config;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.ha.core.HeartbeatSize;
import io.mgtm.ha.kit.Nearest;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a configuration must be beside what its schema says: names that exist, no cycles. */
final class ClusterCheck {
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]", "*");

  private static final Pattern LOOPBACK =
      Pattern.compile("127(\\.\\d+){3}|\\[?::1]?|localhost", Pattern.CASE_INSENSITIVE);

  private static final int HEARTBEATS_OF_A_LEASE = 4;

  /** Of the runtime folder, in which each hierarchy has a folder of its name. */
  private static final Set<String> RESERVED = Set.of("watchdog", "controller.lock");

  private static final Set<Integer> SIZES = Set.of(1, 3, 5, 7);

  private final YamlText yaml;
  private final ClusterConfig config;
  private final ResourceCheck kits;

  ClusterCheck(YamlText yaml, ClusterConfig config, ResourceCheck kits) {
    this.yaml = yaml;
    this.config = config;
    this.kits = kits;
  }

  void check() throws ConfigException {
    timing();
    nodes();
    hierarchies();
    for (Map.Entry<String, Hierarchy> hierarchy : config.hierarchies().entrySet()) {
      hierarchy("/hierarchies/" + hierarchy.getKey(), hierarchy.getValue());
    }
    String tooLong = HeartbeatSize.refusal(config);
    if (!tooLong.isEmpty()) {
      throw yaml.error("/hierarchies", tooLong);
    }
  }

  private void timing() throws ConfigException {
    Timing t = config.timing();
    if (t.leaseMs() < HEARTBEATS_OF_A_LEASE * t.heartbeatMs()) {
      throw yaml.error(
          "/timing/leaseMs",
          "%d is too short, expected %d times heartbeatMs (%d) or more"
              .formatted(t.leaseMs(), HEARTBEATS_OF_A_LEASE, t.heartbeatMs()));
    }
  }

  private void nodes() throws ConfigException {
    Map<HostPort, String> taken = new HashMap<>();
    int paths = config.nodes().values().iterator().next().paths().size();
    int witnesses = 0;
    for (Map.Entry<String, Node> entry : config.nodes().entrySet()) {
      Node node = entry.getValue();
      String at = "/nodes/" + entry.getKey();
      if (node.paths().size() != paths) {
        throw yaml.error(
            at + "/addresses",
            "%d addresses, and %d at the first node; each node needs one on each network"
                .formatted(node.paths().size(), paths));
      }
      witnesses += node.witness() ? 1 : 0;
      List<HostPort> own = new ArrayList<>(node.paths());
      own.add(node.group());
      own.add(node.api());
      for (HostPort address : own) {
        if (WILDCARDS.contains(address.host())) {
          throw yaml.error(
              at + "/addresses",
              "others cannot reach a node at %s; name an address of its machine"
                  .formatted(address.host()));
        }
        String other = taken.put(address, entry.getKey());
        if (other != null) {
          throw yaml.error(
              at + "/addresses", "%s is an address of node %s too".formatted(address, other));
        }
      }
    }
    reachable();
    size(witnesses);
  }

  /** A machine that is reached from others is not reached by what only it itself can reach. */
  private void reachable() throws ConfigException {
    boolean alone = config.nodes().values().stream().allMatch(node -> loopback(node).isPresent());
    for (Map.Entry<String, Node> entry : config.nodes().entrySet()) {
      Optional<String> own = loopback(entry.getValue());
      if (!alone && own.isPresent()) {
        throw yaml.error(
            "/nodes/" + entry.getKey() + "/addresses",
            "%s is loopback, at which only its own machine reaches it; other nodes have addresses of a network"
                .formatted(own.get()));
      }
    }
  }

  private static Optional<String> loopback(Node node) {
    return Stream.concat(Stream.of(node.group()), node.paths().stream())
        .map(HostPort::host)
        .filter(host -> LOOPBACK.matcher(host).matches())
        .findFirst();
  }

  private void size(int witnesses) throws ConfigException {
    int nodes = config.nodes().size();
    if (config.nodes().containsKey(ClusterConfig.QUORUM_DISK)) {
      throw yaml.error(
          "/nodes/" + ClusterConfig.QUORUM_DISK, "a quorum disk has this name; name it otherwise");
    }
    if (!config.quorumDisk().isEmpty()) {
      if (!config.quorumDisk().startsWith("/")) {
        throw yaml.error(
            "/quorumDisk", "expected a path from /, such as /dev/disk/by-id/NAME-part1");
      }
      if (nodes != 2 || witnesses > 0) {
        throw yaml.error(
            "/quorumDisk",
            "a quorum disk is for two nodes without a witness; here are %d nodes, %d of them witnesses"
                .formatted(nodes, witnesses));
      }
      return;
    }
    if (witnesses > 1 || (witnesses == 1 && nodes != 3)) {
      throw yaml.error(
          "/nodes",
          "a witness is for two other nodes; here are %d nodes, %d of them witnesses"
              .formatted(nodes, witnesses));
    }
    if (!SIZES.contains(nodes)) {
      throw yaml.error(
          "/nodes",
          "%d nodes cannot outvote each other, expected 1, 3, 5 or 7; two nodes need a third with \"witness: true\", or a quorumDisk"
              .formatted(nodes));
    }
  }

  private void hierarchies() throws ConfigException {
    if (config.hierarchies().size() > ClusterConfig.HIERARCHIES_MAX) {
      throw yaml.error(
          "/hierarchies",
          "%d hierarchies are more than the %d that a watchdog guards"
              .formatted(config.hierarchies().size(), ClusterConfig.HIERARCHIES_MAX));
    }
    for (String name : config.hierarchies().keySet()) {
      if (RESERVED.contains(name)) {
        throw yaml.error(
            "/hierarchies/" + name, "the controller has a file of this name; give it another");
      }
    }
  }

  private void hierarchy(String at, Hierarchy hierarchy) throws ConfigException {
    for (int i = 0; i < hierarchy.nodes().size(); i++) {
      String node = hierarchy.nodes().get(i);
      Node known = config.nodes().get(node);
      if (known == null) {
        throw yaml.error(
            at + "/nodes/" + i, Nearest.unknown("node", node, config.nodes().keySet()));
      }
      if (known.witness()) {
        throw yaml.error(at + "/nodes/" + i, node + " is the witness, which runs nothing");
      }
    }
    for (Map.Entry<String, Resource> entry : hierarchy.resources().entrySet()) {
      resource(at + "/resources/" + entry.getKey(), hierarchy, entry.getValue());
    }
    Optional<String> cycle = Cycle.find(hierarchy.resources());
    if (cycle.isPresent()) {
      throw yaml.error(at + "/resources", "these stand on each other in a circle: " + cycle.get());
    }
  }

  private void resource(String at, Hierarchy hierarchy, Resource resource) throws ConfigException {
    for (int i = 0; i < resource.on().size(); i++) {
      String below = resource.on().get(i);
      if (!hierarchy.resources().containsKey(below)) {
        throw yaml.error(
            at + "/on/" + i, Nearest.unknown("resource", below, hierarchy.resources().keySet()));
      }
    }
    for (String node : resource.at().keySet()) {
      if (!hierarchy.nodes().contains(node)) {
        throw yaml.error(
            at + "/at/" + node, Nearest.unknown("node of the hierarchy", node, hierarchy.nodes()));
      }
    }
    for (String node : hierarchy.nodes()) {
      Optional<ResourceCheck.Problem> problem =
          kits.problem(resource.kit(), resource.parametersOn(node))
              .or(() -> ownAddress(resource, node))
              .or(() -> VolumePlaces.underMount(hierarchy, resource, node));
      if (problem.isPresent()) {
        throw yaml.error(key(at, resource, node, problem.get()), problem.get().sentence());
      }
    }
  }

  /** An address that is a node's own would be taken from it. */
  private Optional<ResourceCheck.Problem> ownAddress(Resource resource, String node) {
    if (!resource.kit().equals("ip")) {
      return Optional.empty();
    }
    String address = resource.parametersOn(node).getOrDefault("address", "");
    String host = address.replaceFirst("/.*", "");
    return config.nodes().entrySet().stream()
        .filter(other -> other.getValue().paths().stream().anyMatch(at -> at.host().equals(host)))
        .map(
            other ->
                new ResourceCheck.Problem(
                    "address",
                    "%s is node %s's own, and would be taken from it wherever this is out of service"
                        .formatted(address, other.getKey())))
        .findFirst();
  }

  private static String key(
      String at, Resource resource, String node, ResourceCheck.Problem problem) {
    if (problem.parameter().isEmpty()) {
      return at + "/kit";
    }
    boolean here = resource.at().getOrDefault(node, Map.of()).containsKey(problem.parameter());
    return at + (here ? "/at/" + node : "/parameters") + "/" + problem.parameter();
  }
}
