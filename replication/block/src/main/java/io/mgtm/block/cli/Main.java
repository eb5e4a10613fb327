package io.mgtm.block.cli;

import io.mgtm.block.config.Size;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.Cli;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry of {@code mgtm volume}. */
@Command(
    name = "mgtm volume",
    description = "Replicated block volumes served over NBD.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class Main {
  private static final List<Class<?>> COMMANDS =
      List.of(
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
          ResizeCommand.class);

  private Main() {}

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
    CommandLine line = Cli.of(new Main(), COMMANDS, args);
    line.registerConverter(Endpoint.class, text -> Cli.value(text, Endpoint::parse));
    line.registerConverter(Size.class, text -> Cli.value(text, Size::parse));
    return line;
  }
}
