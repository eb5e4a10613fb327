package io.mgtm.ha.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.SchemaCommand;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.kit.ResourceCheck;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mgtm ha}. */
@Command(
    name = "mgtm ha",
    description = "Decides which machine runs what, and moves it when it must.",
    mixinStandardHelpOptions = true,
    versionProvider = Cli.Version.class)
public final class HaMain implements Runnable, SchemaCommand.Configured {
  private static final List<Class<?>> COMMANDS =
      List.of(
          InitCommand.class,
          StartCommand.class,
          StatusCommand.class,
          EventCommands.Why.class,
          EventCommands.Events.class,
          ActCommands.Stop.class,
          ActCommands.Switchover.class,
          ActCommands.Confirm.class,
          ActCommands.Cancel.class,
          ActCommands.Maintenance.class,
          NodeCommands.class,
          QuorumDiskCommands.class,
          ResourceCommands.class,
          ConfigCommands.class,
          NotifyCommand.class);

  /** What the kits of this version make of a resource. */
  static final ResourceCheck KITS = Kits::problem;

  @Spec private CommandSpec spec;

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
    return Cli.of(new HaMain(), COMMANDS, args);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  @Override
  public String schema() {
    return ClusterFile.schemaText();
  }
}
