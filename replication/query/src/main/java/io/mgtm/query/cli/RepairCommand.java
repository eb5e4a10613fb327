package io.mgtm.query.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mgtm query repair}: gives servers the leader's rows where theirs differ. */
@Command(
    name = "repair",
    description = {
      "Gives the servers that are in the leader's rows where theirs differ; ends with 1 when some"
          + " differ still.",
      "Who writes to a table waits while it is repaired."
    },
    mixinStandardHelpOptions = true)
final class RepairCommand extends AskCommand {
  @ArgGroup(multiplicity = "1")
  private What what;

  /** All tables, or one. */
  static final class What {
    @Option(names = "--all", required = true, description = "All tables of which rows differ.")
    private boolean all;

    @ArgGroup(exclusive = false)
    private Table table;
  }

  /** One table. */
  static final class Table {
    @Option(names = "--database", required = true, description = "Where the table is.")
    private String database;

    @Parameters(paramLabel = "TABLE", arity = "1", description = "As verify tells it.")
    private String name;
  }

  @Override
  JsonNode ask(Ask replicator) throws IOException, InterruptedException {
    String of =
        what.all
            ? ""
            : "?database=%s&table=%s"
                .formatted(Ask.segment(what.table.database), Ask.segment(what.table.name));
    return replicator.post("/repair" + of, Map.of());
  }

  @Override
  void show(JsonNode answer, PrintWriter out) {
    answer.path("repaired").forEach(one -> out.println(one.asText()));
    answer.path("differences").forEach(one -> out.println(one.asText()));
    out.printf(
        "%d rows removed, %d written%n",
        answer.path("rowsRemoved").asLong(), answer.path("rowsWritten").asLong());
  }

  @Override
  int status(JsonNode answer) {
    return answer.path("differences").isEmpty() ? 0 : 1;
  }
}
