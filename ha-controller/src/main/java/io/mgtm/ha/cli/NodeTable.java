package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.TextTable;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The nodes of a status, as a person reads them. */
final class NodeTable {
  private static final long SILENT_MS = 5_000;

  private NodeTable() {}

  /** A row for each node. */
  static String of(JsonNode view) {
    TextTable table = new TextTable("NODE", "HEARD", "VOTES", "PATHS", "STATE");
    Set<String> voters = names(view.path("voters"));
    JsonNode config = view.path("state").path("config").path("nodes");
    for (Map.Entry<String, JsonNode> node : config.properties()) {
      List<String> paths = paths(view, node.getKey(), node.getValue().path("paths").size());
      boolean heard = isHeard(view, node.getKey());
      if (node.getValue().path("witness").asBoolean()) {
        // It only votes: the log alone hears it.
        heard = names(view.path("connected")).contains(node.getKey());
        paths.clear();
        paths.add(heard ? "log ok" : "log not connected");
      }
      table.add(
          node.getKey(),
          heard ? "yes" : "SILENT",
          voters.remove(node.getKey()) ? "yes" : "no",
          String.join(", ", paths),
          state(view, node.getKey()));
    }
    String disk = view.path("state").path("config").path("quorumDisk").asText();
    if (!disk.isEmpty()) {
      boolean answers =
          names(view.path("connected")).contains(ClusterConfig.QUORUM_DISK)
              && wrong(view, view.path("node").asText()).isEmpty();
      boolean votes = voters.remove(ClusterConfig.QUORUM_DISK);
      table.add(
          ClusterConfig.QUORUM_DISK,
          answers ? "yes" : "NO ANSWER",
          votes ? "yes" : "no",
          disk,
          diskState(view, config));
    }
    voters.forEach(node -> table.add(node, "", "yes", "", "leaves when those that join have all"));
    return table.render("the cluster has no configuration yet");
  }

  private static String wrong(JsonNode view, String node) {
    return view.path("nodes").path(node).path("disk").path("wrong").asText();
  }

  /** For whom it votes; of a node that is not heard nobody knows. */
  private static String diskState(JsonNode view, JsonNode nodes) {
    List<String> words = new ArrayList<>();
    for (Map.Entry<String, JsonNode> node : nodes.properties()) {
      String name = node.getKey();
      if (isHeard(view, name)) {
        words.add((wrong(view, name).isEmpty() ? "for " : "NOT for ") + name);
      }
    }
    return String.join("; ", words);
  }

  /** Whether this controller hears a node on some path. */
  static boolean isHeard(JsonNode view, String node) {
    for (JsonNode ms : view.path("nodes").path(node).path("silentMs")) {
      if (ms.asLong() <= SILENT_MS) {
        return true;
      }
    }
    return false;
  }

  private static List<String> paths(JsonNode view, String node, int count) {
    JsonNode silent = view.path("nodes").path(node).path("silentMs");
    List<String> paths = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : silent.properties()) {
      long ms = path.getValue().asLong();
      paths.add(path.getKey() + (ms > SILENT_MS ? " silent for " + ms / 1_000 + " s" : " ok"));
    }
    for (int i = 0; i < count && !node.equals(view.path("node").asText()); i++) {
      if (!silent.has(Node.path(i))) {
        paths.add(
            "%s never heard in %d s"
                .formatted(Node.path(i), view.path("runningMs").asLong() / 1_000));
      }
    }
    return paths;
  }

  private static String state(JsonNode view, String node) {
    JsonNode state = view.path("state");
    List<String> words = new ArrayList<>();
    List<String> has = has(view, node);
    if (state.path("retired").has(node)) {
      words.add(has.isEmpty() ? "retired" : "retires, still has " + String.join(", ", has));
    }
    if (names(state.path("nodeMaintenance")).contains(node)) {
      words.add("in maintenance");
    }
    return words.isEmpty() ? "active" : String.join(", ", words);
  }

  /**
   * Hierarchies that a node may have in service, or has not said to be out since; of one that is
   * silent only what it is placed with, since its leases tell.
   */
  static List<String> has(JsonNode view, String node) {
    boolean silent = names(view.path("state").path("silentNodes")).contains(node);
    List<String> has = new ArrayList<>();
    JsonNode reports = view.path("nodes").path(node).path("reports");
    for (Map.Entry<String, JsonNode> entry : view.path("state").path("placements").properties()) {
      String said = reports.path(entry.getKey()).path("state").asText("OUT");
      if (entry.getValue().path("node").asText().equals(node) || !(silent || said.equals("OUT"))) {
        has.add(entry.getKey());
      }
    }
    return has;
  }

  static Set<String> names(JsonNode array) {
    Set<String> names = new HashSet<>();
    array.forEach(each -> names.add(each.asText()));
    return names;
  }
}
