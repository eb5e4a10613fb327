package io.mgtm.bench;

import io.mgtm.bench.volume.VolumeCommand;
import io.mgtm.common.Cli;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm bench}: load on a GTM, and benchmarks of its parts. */
@Command(
    name = "mgtm bench",
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
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    return Cli.of(new BenchMain());
  }
}
