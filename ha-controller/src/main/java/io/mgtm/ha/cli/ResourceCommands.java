package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mgtm.common.Ask;
import io.mgtm.common.TextTable;
import io.mgtm.ha.core.CopyReport;
import io.mgtm.ha.core.Report.ResourceState;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm ha resource} and its commands. */
@Command(
    name = "resource",
    description = "What hierarchies are made of.",
    mixinStandardHelpOptions = true,
    subcommands = {
      ResourceCommands.Listing.class,
      ResourceCommands.Show.class,
      ResourceCommands.Check.class
    })
final class ResourceCommands {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> WHOLE = Set.of(CopyReport.UP_TO_DATE, CopyReport.CONSISTENT);

  private ResourceCommands() {}

  /** What is known of a resource on a node, as one object. */
  private static ObjectNode on(JsonNode view, String hierarchy, String resource, String node) {
    JsonNode config = view.path("state").path("config").path("hierarchies").path(hierarchy);
    JsonNode report = view.path("nodes").path(node).path("reports").path(hierarchy);
    ObjectNode row = JSON.createObjectNode();
    row.put("hierarchy", hierarchy).put("resource", resource);
    row.set("kit", config.path("resources").path(resource).path("kit"));
    row.set("on", config.path("resources").path(resource).path("on"));
    row.put("node", node);
    row.put("silent", NodeTable.names(view.path("state").path("silentNodes")).contains(node));
    row.put("state", report.path("resources").path(resource).asText("UNKNOWN"));
    row.put("copy", report.path("copies").path(resource).path("copy").asText());
    JsonNode outdated =
        view.path("state").path("copies").path(hierarchy).path(resource).path("outdated");
    if (outdated.has(node)) {
      row.set("outdatedSince", outdated.path(node));
    }
    row.set("facts", object(report.path("facts").path(resource)));
    return row;
  }

  /** A node that is silent has said it before; what it has by now its leases tell. */
  private static String state(JsonNode row) {
    return row.path("state").asText() + (row.path("silent").asBoolean() ? " when last heard" : "");
  }

  /** A copy that was left behind does not know that, and a node that is silent cannot say it. */
  private static String copy(JsonNode row) {
    String said = row.path("copy").asText();
    if (row.has("outdatedSince") && WHOLE.contains(said)) {
      return CopyReport.OUTDATED;
    }
    return said.isEmpty() || !row.path("silent").asBoolean() ? said : said + " when last heard";
  }

  private static JsonNode object(JsonNode known) {
    return known.isObject() ? known : JSON.createObjectNode();
  }

  /** {@code mgtm ha resource list}. */
  @Command(
      name = "list",
      description = "Shows each resource with its state on each node.",
      mixinStandardHelpOptions = true)
  static final class Listing extends StatusView {
    @Parameters(arity = "0..1", paramLabel = "HIERARCHY", description = "Only those of this one.")
    private String only;

    @Override
    JsonNode shown(JsonNode view) throws IOException {
      JsonNode hierarchies = view.path("state").path("config").path("hierarchies");
      if (only != null && !hierarchies.has(only)) {
        throw new IOException("no hierarchy is named " + only);
      }
      ArrayNode rows = JSON.createArrayNode();
      for (Map.Entry<String, JsonNode> hierarchy : hierarchies.properties()) {
        if (only == null || only.equals(hierarchy.getKey())) {
          for (Map.Entry<String, JsonNode> resource :
              hierarchy.getValue().path("resources").properties()) {
            for (JsonNode node : hierarchy.getValue().path("nodes")) {
              rows.add(on(view, hierarchy.getKey(), resource.getKey(), node.asText()));
            }
          }
        }
      }
      return rows;
    }

    @Override
    void print(JsonNode rows, PrintWriter out) {
      TextTable table = new TextTable("HIERARCHY", "RESOURCE", "KIT", "NODE", "STATE", "COPY");
      for (JsonNode row : rows) {
        table.add(
            row.path("hierarchy").asText(),
            row.path("resource").asText(),
            row.path("kit").asText(),
            row.path("node").asText(),
            state(row),
            copy(row));
      }
      out.print(table.render("nothing is protected"));
    }
  }

  /** {@code mgtm ha resource check}. */
  @Command(
      name = "check",
      description = {
        "Has a resource that is in service checked deeply, now.",
        "What fails is repaired or moved as after any failed check; the exit status is 1 then."
      },
      mixinStandardHelpOptions = true)
  static final class Check extends ActCommands.Act {
    private static final String FAILED = "has FAILED its check";
    private static final String AS_ANY =
        "That counts as any failed check: mgtm ha status and mgtm ha why tell what comes of it";

    @Parameters(index = "0", paramLabel = "HIERARCHY", description = "Of which it is part.")
    private String hierarchy;

    @Parameters(index = "1", paramLabel = "RESOURCE", description = "Which one is checked.")
    private String resource;

    @Override
    public Integer call() throws IOException, InterruptedException {
      JsonNode found =
          post(
              "/v1/hierarchies/%s/resources/%s/check"
                  .formatted(Ask.segment(hierarchy), Ask.segment(resource)),
              Map.of());
      ResourceState state = ResourceState.valueOf(found.path("found").asText());
      String detail = found.path("detail").asText();
      tell(
          found,
          "%s of %s on %s %s after %d ms%s"
                  .formatted(
                      resource,
                      hierarchy,
                      found.path("node").asText(),
                      words(state),
                      found.path("tookMs").asLong(),
                      detail.isEmpty() ? "" : ": " + detail)
              + (words(state).equals(FAILED) ? "\n" + AS_ANY : ""));
      return state == ResourceState.IN ? 0 : 1;
    }

    private static String words(ResourceState found) {
      return switch (found) {
        case IN -> "is healthy";
        case UNKNOWN -> "has not been checked to the end";
        default -> FAILED;
      };
    }
  }

  /** {@code mgtm ha resource show}. */
  @Command(
      name = "show",
      description = "Shows a resource: its parameters, and what is known of it on each node.",
      mixinStandardHelpOptions = true)
  static final class Show extends StatusView {
    @Parameters(index = "0", paramLabel = "HIERARCHY", description = "Of which it is part.")
    private String hierarchy;

    @Parameters(index = "1", paramLabel = "RESOURCE", description = "Which one is shown.")
    private String resource;

    @Override
    JsonNode shown(JsonNode view) throws IOException {
      JsonNode of = view.path("state").path("config").path("hierarchies").path(hierarchy);
      JsonNode config = of.path("resources").path(resource);
      if (!config.isObject()) {
        throw new IOException("no resource is named %s in %s".formatted(resource, hierarchy));
      }
      ObjectNode shown = JSON.createObjectNode();
      shown.set("config", config);
      ArrayNode nodes = shown.putArray("nodes");
      of.path("nodes").forEach(node -> nodes.add(on(view, hierarchy, resource, node.asText())));
      return shown;
    }

    @Override
    void print(JsonNode shown, PrintWriter out) {
      JsonNode config = shown.path("config");
      out.println("kit " + config.path("kit").asText());
      config.path("on").forEach(below -> out.println("stands on " + below.asText()));
      pairs("  ", config.path("parameters"), out);
      for (JsonNode row : shown.path("nodes")) {
        String node = row.path("node").asText();
        out.println();
        out.println(node + ": " + state(row));
        if (row.has("outdatedSince")) {
          out.println(
              "  lacks what was acknowledged since "
                  + Instant.ofEpochSecond(row.path("outdatedSince").asLong() / 1_000));
        }
        pairs("  ", config.path("at").path(node), out);
        pairs("  ", row.path("facts"), out);
      }
    }

    private static void pairs(String indent, JsonNode object, PrintWriter out) {
      for (Map.Entry<String, JsonNode> pair : object.properties()) {
        out.println(indent + pair.getKey() + " = " + pair.getValue().asText());
      }
    }
  }
}
