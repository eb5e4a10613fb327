package io.mgtm.gtm.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigCommand;
import io.mgtm.common.SchemaCommand;
import io.mgtm.gtm.config.GtmConfig;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm gtm …}: runs and asks global transaction managers. */
@Command(
    name = "mgtm gtm",
    description = "Runs and asks global transaction managers.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class GtmMain implements SchemaCommand.Configured {
  private static final List<Class<?>> COMMANDS =
      List.of(
          StartCommand.class,
          ConfigCommand.class,
          StatusCommand.class,
          TransactionsCommand.class,
          PreparedCommand.class,
          SequencesCommand.class,
          NodesCommand.class,
          BarriersCommand.class,
          AdvanceOldestCommand.class,
          DropSequenceCommand.class,
          UnregisterNodeCommand.class,
          TransferCommand.class,
          AddMemberCommand.class,
          RemoveMemberCommand.class,
          AwaitInSyncCommand.class,
          DurabilityCommand.class,
          AcceptLossCommand.class,
          BackupCommand.class,
          RestoreCommand.class);

  private GtmMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(args), args));
  }

  /**
   * The command line, for tests to call without ending the process.
   *
   * @param args the command that it is made for; none for all
   */
  public static CommandLine commandLine(String... args) {
    return Cli.of(new GtmMain(), COMMANDS, args);
  }

  @Override
  public String schema() {
    return GtmConfig.schema();
  }
}
