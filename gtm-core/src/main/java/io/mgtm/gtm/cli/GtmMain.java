package io.mgtm.gtm.cli;

import io.mgtm.group.LogException;
import io.mgtm.gtm.config.ConfigException;
import io.mgtm.gtm.config.HostPort;
import io.mgtm.gtm.migration.ControlFileException;
import io.mgtm.gtm.server.Takeover;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code mgtm gtm …}: runs and asks global transaction managers. */
@Command(
    name = "mgtm gtm",
    description = "Runs and asks global transaction managers.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = GtmMain.Version.class,
    subcommands = {
      StartCommand.class,
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
      AcceptLossCommand.class,
      BackupCommand.class,
      RestoreCommand.class
    })
public final class GtmMain {
  /** The status of a command that could not do what it was asked to. */
  private static final int FAILED = 1;

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
    // Netty looks for leaked buffers by taking stack traces now and then; tests do, servers do not.
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    System.exit(commandLine().execute(args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new GtmMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(HostPort.class, GtmMain::address);
    line.setExecutionExceptionHandler(GtmMain::fail);
    line.setParameterExceptionHandler(GtmMain::refuse);
    return line;
  }

  private static HostPort address(String text) {
    try {
      return HostPort.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /** What an operator can mend is one line; anything else is our fault, and shows where. */
  private static int fail(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    PrintWriter err = line.getErr();
    if (e instanceof ConfigException
        || e instanceof ControlFileException
        || e instanceof Takeover.RefusedException
        || e instanceof LogException
        || e instanceof IOException) {
      tell(err, e.getMessage() == null ? e.toString() : e.getMessage());
    } else {
      e.printStackTrace(err);
    }
    err.flush();
    return FAILED;
  }

  private static int refuse(CommandLine.ParameterException e, String[] args) {
    CommandLine line = e.getCommandLine();
    String help = line.getCommandSpec().qualifiedName() + " --help";
    String message = e.getMessage();
    if (e instanceof UnmatchedArgumentException unmatched) {
      message = "unknown argument " + String.join(" ", unmatched.getUnmatched());
    }
    tell(line.getErr(), message + "; see " + help);
    line.getErr().flush();
    return FAILED;
  }

  private static void tell(PrintWriter err, String message) {
    err.println("mgtm: " + message.replaceAll("\\s*\\R\\s*", " "));
  }
}
