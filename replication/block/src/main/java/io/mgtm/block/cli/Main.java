package io.mgtm.block.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry of {@code mgtm volume}. */
@Command(
    name = "mgtm volume",
    description = "Replicated block volumes served over NBD.",
    mixinStandardHelpOptions = true,
    version = "mgtm volume 0.1.0",
    subcommands = {
      CreateCommand.class,
      StartCommand.class,
      StatusCommand.class,
      ListCommand.class,
      RoleCommands.Promote.class,
      RoleCommands.Demote.class,
      LinkCommands.Resync.class,
      LinkCommands.Verify.class,
      LinkCommands.Pause.class,
      LinkCommands.Resume.class,
      ResizeCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code: 0 done, 1 failed, 2 wrong usage. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Runs one command and returns its exit code, for tests too. */
  public static int run(String... arguments) {
    return new CommandLine(new Main())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println("mgtm volume: " + failure.getMessage());
              return 1;
            })
        .setParameterExceptionHandler(
            (failure, words) -> {
              CommandLine command = failure.getCommandLine();
              command
                  .getErr()
                  .println(
                      "mgtm volume: "
                          + failure.getMessage()
                          + "; '"
                          + command.getCommandSpec().qualifiedName()
                          + " --help' shows the options");
              return 2;
            })
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(arguments);
  }
}
