package io.mgtm.bench;

import io.mgtm.bench.volume.VolumeCommand;
import io.mgtm.gtm.config.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm bench}: load on a GTM, and benchmarks of its parts. */
@Command(
    name = "bench",
    description = "Measures GTMs, and checks what they answer.",
    mixinStandardHelpOptions = true,
    subcommands = {
      GtmCommand.class,
      CompareCommand.class,
      ModesCommand.class,
      BackupBenchCommand.class,
      FailoverCommand.class,
      DemoCommand.class,
      MicroCommand.class,
      VolumeCommand.class
    })
public final class BenchMain {
  private BenchMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new BenchMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(HostPort.class, HostPort::parse);
    line.setExecutionExceptionHandler(BenchMain::fail);
    return line;
  }

  private static int fail(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    PrintWriter err = line.getErr();
    if (e instanceof IOException || e instanceof IllegalArgumentException) {
      err.println("bench: " + (e.getMessage() == null ? e.toString() : e.getMessage()));
    } else {
      e.printStackTrace(err);
    }
    err.flush();
    return CommandLine.ExitCode.SOFTWARE;
  }
}
