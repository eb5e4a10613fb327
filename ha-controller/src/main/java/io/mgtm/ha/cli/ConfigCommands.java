package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.ConfigException;
import io.mgtm.common.SchemaCommand;
import io.mgtm.common.TextTable;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.config.ConfigPlan.Effect;
import io.mgtm.ha.config.GuardTime;
import io.mgtm.ha.config.VolumePlaces;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm ha config} and its commands. */
@Command(
    name = "config",
    description = "The configuration of the cluster.",
    mixinStandardHelpOptions = true,
    subcommands = {
      ConfigCommands.Check.class,
      SchemaCommand.class,
      ConfigCommands.Show.class,
      ConfigCommands.Plan.class,
      ConfigCommands.Apply.class
    })
final class ConfigCommands {
  private ConfigCommands() {}

  private static String counted(int count, String one, String several) {
    return count + " " + (count == 1 ? one : several);
  }

  /** A line each. */
  private static String warnings(ClusterFile file) {
    StringBuilder lines = new StringBuilder();
    VolumePlaces.warnings(file.config())
        .forEach(warning -> lines.append("warning: ").append(warning).append('\n'));
    return lines.toString();
  }

  /** {@code mgtm ha config check}. */
  @Command(
      name = "check",
      description = "Tells what is wrong with a file, and asks nobody.",
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The file of the cluster, as /etc/mgtm/ha.yaml.")
    private Path file;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
      ClusterFile read = ClusterFile.check(file, HaMain.KITS);
      PrintWriter out = spec.commandLine().getOut();
      out.printf(
          "%s: cluster %s, %s, %s%n",
          file,
          read.config().cluster(),
          counted(read.config().nodes().size(), "node", "nodes"),
          counted(read.config().hierarchies().size(), "hierarchy", "hierarchies"));
      out.print(warnings(read));
      GuardTime.warnings(read.config())
          .forEach((where, why) -> out.printf("warning: %s: %s%n", where, why));
      read.fences()
          .forEach(
              (node, agent) -> {
                if (!agent.isHere()) {
                  out.printf(
                      "nodes.%s.fence: no program %s on this machine, so that its parameters are"
                          + " not checked%n",
                      node, agent.agent());
                }
              });
      out.flush();
      return 0;
    }
  }

  /** {@code mgtm ha config show}. */
  @Command(
      name = "show",
      description = "Shows what the controllers have agreed on, in JSON.",
      mixinStandardHelpOptions = true)
  static final class Show implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    @Override
    public Integer call() throws IOException, InterruptedException {
      PrintWriter out = spec.commandLine().getOut();
      out.println(ask.get("/v1/config").toPrettyString());
      out.flush();
      return 0;
    }
  }

  /** What the commands share that have a controller look at a file. */
  abstract static class WithFile implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private AskController ask;

    @Parameters(paramLabel = "FILE", description = "The file of the cluster, as /etc/mgtm/ha.yaml.")
    private Path file;

    /** Sends a file that is right, tells what came of it, and returns that. */
    final JsonNode send(String path, Function<JsonNode, String> told)
        throws IOException, InterruptedException, ConfigException {
      ClusterFile read = ClusterFile.read(file, HaMain.KITS);
      JsonNode answer = ask.post(path, "application/yaml", Files.readString(file));
      PrintWriter out = spec.commandLine().getOut();
      if (!ask.printed(answer, out)) {
        out.print(told.apply(answer));
        out.print(warnings(read));
        out.flush();
      }
      return answer;
    }
  }

  /** {@code mgtm ha config plan}. */
  @Command(
      name = "plan",
      description = {
        "Shows what a file would change, and which services are touched.",
        "The exit status is 1 when apply would refuse a change."
      },
      mixinStandardHelpOptions = true)
  static final class Plan extends WithFile {
    private static final String REFUSED = Effect.REFUSED.name();

    @Override
    public Integer call() throws IOException, InterruptedException, ConfigException {
      JsonNode changes = send("/v1/config/plan", Plan::table);
      return changes.findValuesAsText("effect").contains(REFUSED) ? 1 : 0;
    }

    private static String table(JsonNode changes) {
      TextTable table = new TextTable("WHERE", "WHAT", "SERVICE");
      for (JsonNode change : changes) {
        table.add(
            change.path("where").asText(),
            change.path("what").asText(),
            service(change.path("effect").asText()));
      }
      return table.render("nothing changes");
    }

    private static String service(String effect) {
      return switch (effect) {
        case "NONE" -> "not touched";
        case "RESTART" -> "restarted";
        case "START" -> "started";
        case "STOP" -> "taken out of service";
        default -> "refused";
      };
    }
  }

  /** {@code mgtm ha config apply}. */
  @Command(
      name = "apply",
      description =
          "Has the cluster take a file in place of its configuration; plan shows before what that"
              + " touches.",
      mixinStandardHelpOptions = true)
  static final class Apply extends WithFile {
    @Override
    public Integer call() throws IOException, InterruptedException, ConfigException {
      send("/v1/config/apply", answer -> "the cluster has it\n");
      return 0;
    }
  }
}
