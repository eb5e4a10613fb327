package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.ha.core.Decision;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands that tell what was decided, and why. */
final class EventCommands {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private EventCommands() {}

  private static String line(JsonNode event) {
    return "%5d  %s  %-12s  %s"
        .formatted(
            event.path("id").asLong(),
            TIME.format(Instant.ofEpochMilli(event.path("wall").asLong())),
            event.path("subject").asText(),
            event.path("what").asText());
  }

  /** With who asked, where it was not decided by the controller itself. */
  private static String lineWithWho(JsonNode event) {
    String by = event.path("by").asText();
    return line(event) + (by.equals(Decision.BY_ITSELF) ? "" : "; asked by " + by);
  }

  private static void explain(JsonNode event, PrintWriter out) {
    out.println(line(event));
    out.println("       by " + event.path("by").asText() + ": " + event.path("cause").asText());
    for (Map.Entry<String, JsonNode> seen : event.path("observations").properties()) {
      out.println("         " + seen.getKey() + ": " + seen.getValue().asText());
    }
  }

  /** {@code mgtm ha events}. */
  @Command(
      name = "events",
      description = "Lists what was decided and seen, the newest last.",
      mixinStandardHelpOptions = true)
  static final class Events implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    @Option(
        names = "--after",
        paramLabel = "EVENT",
        defaultValue = "0",
        description = "Only those after it.")
    private long after;

    @Override
    public Integer call() throws IOException, InterruptedException {
      PrintWriter out = spec.commandLine().getOut();
      JsonNode events = ask.get("/v1/events?after=" + after);
      if (!ask.printed(events, out)) {
        events.forEach(event -> out.println(lineWithWho(event)));
        out.flush();
      }
      return 0;
    }
  }

  /** {@code mgtm ha why}. */
  @Command(
      name = "why",
      description = "Tells why something was decided, and what was seen before it.",
      mixinStandardHelpOptions = true)
  static final class Why implements Callable<Integer> {
    private static final int NEWEST = 5;

    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    @Parameters(
        arity = "0..1",
        paramLabel = "EVENT",
        description = "Its number in the events. Default: the newest five.")
    private Long event;

    @Override
    public Integer call() throws IOException, InterruptedException {
      PrintWriter out = spec.commandLine().getOut();
      JsonNode found = ask.get("/v1/events" + (event == null ? "" : "/" + event));
      if (!ask.printed(found, out)) {
        if (event == null) {
          for (int i = Math.max(0, found.size() - NEWEST); i < found.size(); i++) {
            explain(found.get(i), out);
          }
        } else {
          explain(found, out);
        }
        out.flush();
      }
      return 0;
    }
  }
}
