package io.mgtm.bench;

import io.mgtm.bench.floor.FloorChain;
import io.mgtm.bench.floor.FloorRole;
import io.mgtm.common.HostPort;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm bench floor-stage}: a process that {@code bench modes --floor} starts. */
@Command(
    name = "floor-stage",
    hidden = true,
    description = "A process of the chain that bench modes --floor measures.",
    mixinStandardHelpOptions = true)
final class FloorStageCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "ROLE", description = "${COMPLETION-CANDIDATES}")
  private FloorRole role;

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Where it serves.")
  private HostPort listen;

  @Option(names = "--next", paramLabel = "HOST:PORT", description = "The stage behind it.")
  private HostPort next;

  @Override
  public Integer call() throws InterruptedException {
    FloorChain.serve(role, listen, next, spec.commandLine().getOut());
    return 0;
  }
}
