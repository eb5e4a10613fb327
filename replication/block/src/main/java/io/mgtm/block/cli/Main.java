package io.mgtm.block.cli;

import io.mgtm.block.config.Size;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.Cli;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry of {@code mgtm volume}. */
@Command(
    name = "mgtm volume",
    description = "Replicated block volumes served over NBD.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class,
    subcommands = {
      CreateCommand.class,
      StartCommand.class,
      StatusCommand.class,
      ListCommand.class,
      RoleCommands.Promote.class,
      RoleCommands.Demote.class,
      RoleCommands.Fenced.class,
      LinkCommands.Resync.class,
      LinkCommands.Verify.class,
      LinkCommands.Pause.class,
      LinkCommands.Resume.class,
      ResizeCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs a command and ends the process with its status: 0 done, 1 failed. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = Cli.of(new Main());
    line.registerConverter(Endpoint.class, text -> Cli.value(text, Endpoint::parse));
    line.registerConverter(Size.class, text -> Cli.value(text, Size::parse));
    return line;
  }
}
