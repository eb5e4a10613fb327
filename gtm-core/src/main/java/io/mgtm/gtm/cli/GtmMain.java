package io.mgtm.gtm.cli;

import io.mgtm.group.LogException;
import io.mgtm.gtm.config.ConfigException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm gtm …}: runs and asks global transaction managers. */
@Command(
    name = "mgtm gtm",
    description = "Runs and asks global transaction managers.",
    mixinStandardHelpOptions = true,
    versionProvider = GtmMain.Version.class,
    subcommands = {StartCommand.class})
public final class GtmMain {

  /** The version from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = GtmMain.class.getPackage().getImplementationVersion();
      return new String[] {"mgtm " + (version == null ? "(unpackaged)" : version)};
    }
  }

  private GtmMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new GtmMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(io.mgtm.gtm.config.HostPort.class, io.mgtm.gtm.config.HostPort::parse);
    line.setExecutionExceptionHandler(GtmMain::fail);
    return line;
  }

  /** What an operator can mend is one line; anything else is our fault, and shows where. */
  private static int fail(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    PrintWriter err = line.getErr();
    if (e instanceof ConfigException || e instanceof LogException || e instanceof IOException) {
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      err.println("mgtm: " + message.replace('\n', ' '));
    } else {
      e.printStackTrace(err);
    }
    err.flush();
    return CommandLine.ExitCode.SOFTWARE;
  }
}
