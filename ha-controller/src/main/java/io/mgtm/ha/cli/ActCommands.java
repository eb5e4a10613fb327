package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands by which an operator decides. */
final class ActCommands {
  private ActCommands() {}

  /** What they share: it is asked, and what came of it is printed. */
  abstract static class Act implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    final JsonNode get(String path) throws IOException, InterruptedException {
      return ask.get(path);
    }

    final JsonNode post(String path, Object body) throws IOException, InterruptedException {
      return ask.post(path, body);
    }

    final int tell(JsonNode answer, String done) {
      PrintWriter out = spec.commandLine().getOut();
      if (!ask.printed(answer, out)) {
        out.println(done);
        out.flush();
      }
      return 0;
    }

    final int ask(String path, Object body) throws IOException, InterruptedException {
      JsonNode answer = post(path, body);
      String done = answer.path("done").asText();
      return tell(answer, done.isEmpty() ? "decided; mgtm ha status shows how far it is" : done);
    }
  }

  /** An act on one hierarchy. */
  abstract static class OnHierarchy extends Act {
    @Parameters(paramLabel = "HIERARCHY", description = "What it is done to.")
    private String hierarchy;

    final int ask(String action, String node, boolean acceptLoss)
        throws IOException, InterruptedException {
      return ask(
          "/v1/hierarchies/" + Ask.segment(hierarchy) + "/" + action,
          Map.of("node", node, "acceptLoss", acceptLoss));
    }
  }

  /** {@code mgtm ha stop}. */
  @Command(
      name = "stop",
      description = "Takes a hierarchy out of service until it is started again.",
      mixinStandardHelpOptions = true)
  static final class Stop extends OnHierarchy {
    @Override
    public Integer call() throws IOException, InterruptedException {
      return ask("stop", "", false);
    }
  }

  /** {@code mgtm ha switchover}. */
  @Command(
      name = "switchover",
      description = "Moves a hierarchy to another node in order, so that nothing is lost.",
      mixinStandardHelpOptions = true)
  static final class Switchover extends OnHierarchy {
    @Option(
        names = "--to",
        paramLabel = "NODE",
        required = true,
        description = "Where it moves to.")
    private String to;

    @Option(
        names = "--accept-loss",
        description = "Though the node's copy may lack acknowledged writes.")
    private boolean acceptLoss;

    @Override
    public Integer call() throws IOException, InterruptedException {
      return ask("switchover", to, acceptLoss);
    }
  }

  /** {@code mgtm ha confirm}. */
  @Command(
      name = "confirm",
      description = "Lets a failover that waits for an operator begin now.",
      mixinStandardHelpOptions = true)
  static final class Confirm extends OnHierarchy {
    @Override
    public Integer call() throws IOException, InterruptedException {
      return ask("confirm", "", false);
    }
  }

  /** {@code mgtm ha cancel}. */
  @Command(
      name = "cancel",
      description = "Lets a failover that waits for an operator not happen.",
      mixinStandardHelpOptions = true)
  static final class Cancel extends OnHierarchy {
    @Override
    public Integer call() throws IOException, InterruptedException {
      return ask("cancel", "", false);
    }
  }

  /** {@code mgtm ha maintenance}. */
  @Command(
      name = "maintenance",
      description = "Begins or ends maintenance: nothing is repaired or moved by itself meanwhile.",
      mixinStandardHelpOptions = true)
  static final class Maintenance extends Act {
    /** Whether it begins. */
    enum Switch {
      ON,
      OFF
    }

    @Parameters(paramLabel = "on|off", description = "Whether it begins or ends.")
    private Switch to;

    @Option(names = "--node", paramLabel = "NODE", description = "Of a node.")
    private String node;

    @Option(names = "--hierarchy", paramLabel = "HIERARCHY", description = "Of a hierarchy.")
    private String hierarchy;

    @Override
    public Integer call() throws IOException, InterruptedException {
      String scope = node != null ? "NODE" : hierarchy != null ? "HIERARCHY" : "CLUSTER";
      String name = node != null ? node : hierarchy != null ? hierarchy : "";
      return ask("/v1/maintenance", Map.of("scope", scope, "name", name, "on", to == Switch.ON));
    }
  }
}
