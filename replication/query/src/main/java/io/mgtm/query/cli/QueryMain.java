package io.mgtm.query.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigCommand;
import io.mgtm.common.SchemaCommand;
import io.mgtm.query.config.QueryConfig;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm query …}: the query replicator. */
@Command(
    name = "mgtm query",
    description = "Holds several plain PostgreSQL servers alike.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class QueryMain implements SchemaCommand.Configured {
  private static final List<Class<?>> COMMANDS =
      List.of(
          StartCommand.class,
          ConfigCommand.class,
          AskCommands.Status.class,
          AskCommands.Servers.class,
          AskCommands.Verify.class,
          AskCommands.Explain.class,
          RepairCommand.class,
          MemberCommands.Add.class,
          MemberCommands.Promote.class,
          MemberCommands.Remove.class,
          DemoCommand.class);

  private QueryMain() {}

  /** Runs a command and ends the process with its status: 0 done, 1 failed. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(args), args));
  }

  /**
   * The command line, for tests to call without ending the process.
   *
   * @param args the command that it is made for; none for all
   */
  public static CommandLine commandLine(String... args) {
    return Cli.of(new QueryMain(), COMMANDS, args);
  }

  @Override
  public String schema() {
    return QueryConfig.schema();
  }
}
