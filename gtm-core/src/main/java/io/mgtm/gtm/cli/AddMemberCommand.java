package io.mgtm.gtm.cli;

import io.mgtm.gtm.config.HostPort;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm add}: lets a member join. */
@Command(name = "add", description = "Lets a new member join the group when it is started.")
final class AddMemberCommand extends AdminCommand {
  @Parameters(
      paramLabel = "NAME=HOST:PORT",
      description = "The new member, as in the --members that it is started with.")
  private String member;

  @Override
  String run() throws IOException {
    int equals = member.indexOf('=');
    if (equals < 1) {
      throw bad("\"" + member + "\" is no member: expected NAME=HOST:PORT");
    }
    String name = member.substring(0, equals);
    try {
      HostPort.parse(member.substring(equals + 1));
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
    askLeader("add", name);
    return "%s may join: start it with --name %s and --members of all, itself included"
        .formatted(name, name);
  }
}
