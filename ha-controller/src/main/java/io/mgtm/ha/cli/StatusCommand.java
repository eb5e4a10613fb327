package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.TextTable;
import io.mgtm.ha.core.Report;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code mgtm ha status}. */
@Command(
    name = "status",
    description = "Shows who decides, how nodes hear each other, and what is in service where.",
    mixinStandardHelpOptions = true)
final class StatusCommand extends StatusView {
  @Override
  void print(JsonNode view, PrintWriter out) {
    String leader = view.path("leader").asText();
    out.println(
        leader.isEmpty()
            ? "NO CONTROLLER DECIDES: a majority is not connected; what runs is taken out of service"
            : "%s decides, term %d".formatted(leader, view.path("term").asLong()));
    view.path("warnings").forEach(warning -> out.println("warning: " + warning.asText()));
    JsonNode state = view.path("state");
    if (state.path("clusterMaintenance").asBoolean()) {
      out.println("in maintenance: nothing is decided by itself");
    }
    out.println();
    out.print(NodeTable.of(view));
    out.println();
    hierarchies(view, out);
  }

  private static void hierarchies(JsonNode view, PrintWriter out) {
    Set<String> maintained = NodeTable.names(view.path("state").path("hierarchyMaintenance"));
    TextTable table = new TextTable("HIERARCHY", "NODE", "STATE", "WHY");
    JsonNode placements = view.path("state").path("placements");
    for (Map.Entry<String, JsonNode> entry : placements.properties()) {
      JsonNode placement = entry.getValue();
      String node = placement.path("node").asText();
      JsonNode report = view.path("nodes").path(node).path("reports").path(entry.getKey());
      table.add(
          entry.getKey(),
          node.isEmpty() ? "-" : node,
          state(placement, report, NodeTable.isHeard(view, node)),
          (maintained.contains(entry.getKey()) ? "in maintenance: " : "")
              + why(placement, report, node.isEmpty() || NodeTable.isHeard(view, node)));
    }
    out.print(table.render("nothing is protected"));
  }

  private static String state(JsonNode placement, JsonNode report, boolean heard) {
    String stage = placement.path("stage").asText();
    String said = report.path("state").asText("UNKNOWN");
    if (!stage.equals("HELD") || said.equals("UNKNOWN")) {
      return stage.equals("HELD") ? said : stage;
    }
    boolean failed = report.path("detail").asText().contains(Report.LEFT_ALONE);
    return said + (failed ? ", has failed" : "") + (heard ? "" : " when last heard");
  }

  private static String why(JsonNode placement, JsonNode report, boolean heard) {
    if (!placement.path("wanted").asBoolean()) {
      return "stopped by an operator";
    }
    for (String field : List.of("halted", "waiting")) {
      if (!placement.path(field).asText().isEmpty()) {
        return placement.path(field).asText();
      }
    }
    JsonNode pending = placement.path("pending");
    if (pending.isObject()) {
      return ("CANCELLED".equals(pending.path("answer").asText())
              ? "an operator has cancelled its failover to %s: it stays as it is until its node is back, or mgtm ha start or switchover"
              : "a failover to %s waits for an operator: mgtm ha confirm or cancel")
          .formatted(pending.path("toward").asText());
    }
    String detail = report.path("detail").asText();
    // Of what is held the state says that already.
    boolean known = heard || placement.path("stage").asText().equals("HELD");
    return known || detail.isEmpty() ? detail : "it was last heard that " + detail;
  }
}
