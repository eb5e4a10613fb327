package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mgtm ha node} and its commands. */
@Command(
    name = "node",
    description = "The machines of the cluster.",
    mixinStandardHelpOptions = true,
    subcommands = {
      NodeCommands.Listing.class,
      NodeCommands.Retire.class,
      NodeCommands.Activate.class
    })
final class NodeCommands {
  private NodeCommands() {}

  /** {@code mgtm ha node list}. */
  @Command(
      name = "list",
      description = "Shows how nodes hear each other, and which are retired.",
      mixinStandardHelpOptions = true)
  static final class Listing extends StatusView {
    @Override
    void print(JsonNode shown, PrintWriter out) {
      out.print(NodeTable.of(shown));
    }
  }

  /** An act on one node. */
  abstract static class OnNode extends ActCommands.Act {
    @Parameters(paramLabel = "NODE", description = "Which machine.")
    private String node;

    final String node() {
      return node;
    }

    final String path(String action) {
      return "/v1/nodes/" + Ask.segment(node) + "/" + action;
    }
  }

  /** {@code mgtm ha node retire}. */
  @Command(
      name = "retire",
      description = {
        "Takes a machine out: what it has in service moves in order to other nodes, and nothing is placed on it until it is activated.",
        "Then its controller, with its watchdog, can be stopped and stay stopped."
      },
      mixinStandardHelpOptions = true)
  static final class Retire extends OnNode {
    private static final long LOOK_MS = 500;

    @Option(
        names = "--stop",
        description =
            "What no other node can have is stopped; without this it stays in service until another can.")
    private boolean stop;

    @Option(
        names = "--wait",
        paramLabel = "SECONDS",
        defaultValue = "0",
        description = "Wait so long until nothing is in service there. Default: ${DEFAULT-VALUE}.")
    private long waitS;

    @Override
    public Integer call() throws IOException, InterruptedException {
      Map<String, String> body = Map.of("rest", stop ? "STOPS" : "STAYS");
      if (waitS <= 0) {
        return ask(path("retire"), body);
      }
      JsonNode answer = post(path("retire"), body);
      awaitEmpty();
      return tell(
          answer,
          "%s is retired, and nothing is in service there; its controller can be stopped"
              .formatted(node()));
    }

    private void awaitEmpty() throws IOException, InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitS);
      while (true) {
        JsonNode view = get("/v1/status");
        List<String> has = NodeTable.has(view, node());
        boolean known = view.path("state").path("retired").has(node());
        if (known && has.isEmpty()) {
          return;
        }
        if (System.nanoTime() - end > 0) {
          throw new IOException(
              known
                  ? "%s is retired, and still has %s after %d s: %s"
                      .formatted(node(), String.join(", ", has), waitS, why(view, has.get(0)))
                  : "%s is not retired any more".formatted(node()));
        }
        Thread.sleep(LOOK_MS);
      }
    }

    private static String why(JsonNode view, String hierarchy) {
      String waiting =
          view.path("state").path("placements").path(hierarchy).path("waiting").asText();
      return waiting.isEmpty() ? "mgtm ha status shows how far it is" : waiting;
    }
  }

  /** {@code mgtm ha node activate}. */
  @Command(
      name = "activate",
      description = "Takes a retired machine back; what the policy wants there returns.",
      mixinStandardHelpOptions = true)
  static final class Activate extends OnNode {
    @Override
    public Integer call() throws IOException, InterruptedException {
      return ask(path("activate"), Map.of());
    }
  }
}
