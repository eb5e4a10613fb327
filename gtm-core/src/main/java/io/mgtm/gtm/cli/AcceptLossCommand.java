package io.mgtm.gtm.cli;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mgtm gtm accept-loss}: goes on without members that may know more. */
@Command(
    name = "accept-loss",
    description =
        "After a power cut of a majority: lets the members that are there go on without the"
            + " missing ones. What only those knew, and was not forced to disk, is lost.")
final class AcceptLossCommand extends AdminCommand {
  @Option(
      names = "--yes",
      required = true,
      description = "Says that the missing members will not come back in time.")
  private boolean yes;

  @Override
  String run() throws IOException {
    if (!yes) {
      throw bad("--yes is needed");
    }
    askHere("accept-loss");
    return "the node may now elect a leader without the missing members";
  }
}
