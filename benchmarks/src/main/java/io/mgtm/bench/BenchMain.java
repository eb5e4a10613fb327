package io.mgtm.bench;

import io.mgtm.bench.ha.HaCommand;
import io.mgtm.bench.ha.HaDemoCommand;
import io.mgtm.bench.query.QueryCommand;
import io.mgtm.bench.tpcc.TpccCommand;
import io.mgtm.bench.volume.VolumeCommand;
import io.mgtm.common.Cli;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParameterException;

/** {@code mgtm bench}: load on a GTM, and benchmarks of its parts. */
@Command(
    name = "mgtm bench",
    description = "Measures GTMs, and checks what they answer.",
    mixinStandardHelpOptions = true)
public final class BenchMain {
  private static final List<Class<?>> COMMANDS =
      List.of(
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
          QueryCommand.class,
          TpccCommand.class);

  private BenchMain() {}

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
    CommandLine line = Cli.of(new BenchMain(), COMMANDS, args);
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
