package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code mgtm ha notify} and its command. */
@Command(
    name = "notify",
    description = "Whom the leading controller tells of events: webhooks and mail.",
    mixinStandardHelpOptions = true,
    subcommands = NotifyCommand.Test.class)
final class NotifyCommand {
  private NotifyCommand() {}

  /** {@code mgtm ha notify test}. */
  @Command(
      name = "test",
      description =
          "Has one controller tell all of a test now; ends with 1 when somebody was not told, or there is nobody.",
      mixinStandardHelpOptions = true)
  static final class Test implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    @Override
    public Integer call() throws IOException, InterruptedException {
      PrintWriter out = spec.commandLine().getOut();
      JsonNode answer = ask.post("/v1/notify/test", Map.of());
      JsonNode told = answer.path("told");
      if (!ask.printed(answer, out)) {
        for (Map.Entry<String, JsonNode> each : told.properties()) {
          String whyNot = each.getValue().asText();
          out.println(each.getKey() + ": " + (whyNot.isEmpty() ? "told" : "NOT TOLD: " + whyNot));
        }
        if (told.isEmpty()) {
          out.println(
              "this controller was started with a file that names nobody; see notify in docs/ha.md, and start it again");
        }
        out.flush();
      }
      boolean all = told.properties().stream().allMatch(each -> each.getValue().asText().isEmpty());
      return all && !told.isEmpty() ? 0 : 1;
    }
  }
}
