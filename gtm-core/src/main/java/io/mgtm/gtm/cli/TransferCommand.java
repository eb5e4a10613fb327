package io.mgtm.gtm.cli;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm transfer}: lets another member lead. */
@Command(name = "transfer", description = "Hands the leadership of the group to another member.")
final class TransferCommand extends AdminCommand {
  @Parameters(paramLabel = "MEMBER", description = "The member that is to lead.")
  private String member;

  @Override
  String run() throws IOException {
    askLeader("transfer", member);
    awaitNothingMissing(timeoutMs(), member + " does not lead", this::look);
    return member + " leads";
  }

  private String look() throws IOException {
    String leader = status().leader();
    if (leader.equals(member)) {
      return "";
    }
    return leader.isEmpty() ? "no leader is known" : leader + " leads";
  }
}
