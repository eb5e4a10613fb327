package io.mgtm.ha.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.SchemaCommand;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.kit.ResourceCheck;
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
    versionProvider = Cli.Version.class,
    subcommands = {
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
      ResourceCommands.class,
      ConfigCommands.class,
      NotifyCommand.class
    })
public final class HaMain implements Runnable, SchemaCommand.Configured {
  /** What the kits of this version make of a resource. */
  static final ResourceCheck KITS = Kits::problem;

  @Spec private CommandSpec spec;

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    return Cli.of(new HaMain());
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
