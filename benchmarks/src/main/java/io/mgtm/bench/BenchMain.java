package io.mgtm.bench;

import io.mgtm.bench.ha.HaCommand;
import io.mgtm.bench.ha.HaDemoCommand;
import io.mgtm.bench.tpcc.TpccCommand;
import io.mgtm.bench.volume.VolumeCommand;
import io.mgtm.common.Cli;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParameterException;

/** {@code mgtm bench}: load on a GTM, and benchmarks of its parts. */
@Command(
    name = "mgtm bench",
    description = "Measures GTMs, and checks what they answer.",
    mixinStandardHelpOptions = true,
    subcommands = {
      GtmCommand.class,
      CompareCommand.class,
      ModesCommand.class,
      ReportCommand.class,
      FloorStageCommand.class,
      BackupBenchCommand.class,
      FailoverCommand.class,
      WanCommand.class,
      DemoCommand.class,
      MicroCommand.class,
      VolumeCommand.class,
      HaCommand.class,
      HaDemoCommand.class,
      TpccCommand.class
    })
public final class BenchMain {
  private BenchMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    CommandLine line = Cli.of(new BenchMain());
    IExecutionExceptionHandler others = line.getExecutionExceptionHandler();
    line.setExecutionExceptionHandler(
        (e, command, parsed) ->
            e instanceof IllegalArgumentException
                ? refuse(e, command)
                : others.handleExecutionException(e, command, parsed));
    return line;
  }

  /** Settings that make no sense are wrong options. */
  private static int refuse(Exception e, CommandLine command) throws Exception {
    return command
        .getParameterExceptionHandler()
        .handleParseException(new ParameterException(command, e.getMessage(), e), new String[0]);
  }
}
