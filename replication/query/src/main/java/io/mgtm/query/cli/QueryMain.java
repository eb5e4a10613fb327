package io.mgtm.query.cli;

import io.mgtm.query.config.ConfigException;
import io.mgtm.query.config.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.TypeConversionException;

/** {@code mgtm query …}: the query replicator. */
@Command(
    name = "mgtm query",
    description = "Holds several plain PostgreSQL servers alike.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = QueryMain.Version.class,
    subcommands = {
      StartCommand.class,
      AskCommands.Status.class,
      AskCommands.Servers.class,
      AskCommands.Verify.class,
      AskCommands.Explain.class,
      ReadmitCommand.class,
      DemoCommand.class
    })
public final class QueryMain {
  private static final int FAILED = 1;

  /** The version from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = QueryMain.class.getPackage().getImplementationVersion();
      return new String[] {"mgtm " + (version == null ? "(unpackaged)" : version)};
    }
  }

  private QueryMain() {}

  /** Runs a command and ends the process with its status: 0 done, 1 failed. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new QueryMain());
    line.registerConverter(
        HostPort.class,
        text -> {
          try {
            return HostPort.parse(text);
          } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
          }
        });
    line.setExecutionExceptionHandler((e, command, parsed) -> fail(e, command));
    line.setParameterExceptionHandler(
        (e, arguments) -> {
          CommandLine command = e.getCommandLine();
          return tell(
              command.getErr(),
              e.getMessage() + "; see " + command.getCommandSpec().qualifiedName() + " --help");
        });
    return line;
  }

  /** What an operator can mend is one line; anything else is our fault, and shows where. */
  private static int fail(Exception e, CommandLine line) {
    if (e instanceof ConfigException || e instanceof IOException) {
      return tell(line.getErr(), e.getMessage());
    }
    e.printStackTrace(line.getErr());
    return FAILED;
  }

  private static int tell(PrintWriter err, String message) {
    err.println("mgtm: " + message.replaceAll("\\s*\\R\\s*", " "));
    err.flush();
    return FAILED;
  }
}
