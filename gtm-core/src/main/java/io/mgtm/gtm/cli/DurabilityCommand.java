package io.mgtm.gtm.cli;

import io.mgtm.group.DurabilityMode;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm durability}: what the group forces to disk. */
@Command(
    name = "durability",
    description =
        "Lets the group force every change to disk before its reply (all), or only what must"
            + " outlive a power cut (critical). It counts for all members, and stays when they"
            + " are restarted.")
final class DurabilityCommand extends AdminCommand {
  @Parameters(paramLabel = "critical|all", description = "What is forced.")
  private DurabilityMode mode;

  @Override
  String run() throws IOException {
    askLeader("durability", mode.label());
    awaitNothingMissing(timeoutMs(), "this node has not heard of it", this::look);
    return "durability " + mode.label();
  }

  /** The leader that took it may have been deposed before others had it: it is asked for again. */
  private String look() throws IOException {
    String had = status().durability();
    if (had.equals(mode.label())) {
      return "";
    }
    askLeader("durability", mode.label());
    return "durability is " + had;
  }
}
