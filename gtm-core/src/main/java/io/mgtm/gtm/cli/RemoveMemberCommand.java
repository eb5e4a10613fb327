package io.mgtm.gtm.cli;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm remove}: takes a member out. */
@Command(name = "remove", description = "Takes a member out of the group, running or not.")
final class RemoveMemberCommand extends AdminCommand {
  @Parameters(paramLabel = "MEMBER", description = "The member that leaves for good.")
  private String member;

  @Override
  String run() throws IOException {
    askLeader("remove", member);
    return member + " leaves the group; stop it, if it runs";
  }
}
