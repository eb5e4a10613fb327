package io.mgtm.gtm.cli;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.NodeStatus.MemberStatus;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm add}: lets a member join, and waits until it has. */
@Command(
    name = "add",
    description = {
      "Lets a new member join the group, and waits until it votes.",
      "Start it before or meanwhile, with --members of all, itself included."
    })
final class AddMemberCommand extends AdminCommand {
  @Parameters(
      paramLabel = "NAME=HOST:PORT",
      description = "The new member, as in the --members that it is started with.")
  private String member;

  @Option(
      names = "--wait-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description = "How long to wait until it has joined; 0 not to wait. Default: 60000.")
  private int waitMs;

  @Override
  String run() throws IOException {
    int equals = member.indexOf('=');
    if (equals < 1) {
      throw bad("\"" + member + "\" is no member: expected NAME=HOST:PORT");
    }
    if (waitMs < 0) {
      throw bad("--wait-ms: " + waitMs + " is not allowed, expected 0 or more");
    }
    String name = member.substring(0, equals);
    try {
      HostPort.parse(member.substring(equals + 1));
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage());
    }
    askLeader("add", name);
    if (waitMs == 0) {
      return "%s may join: start it with --name %s and --members of all, itself included"
          .formatted(name, name);
    }
    awaitNothingMissing(waitMs, name + " has not joined", () -> look(name));
    return name + " has joined the group";
  }

  /** What is missing, empty when it votes. */
  private String look(String name) throws IOException {
    NodeStatus leader = statusOfLeader(status());
    if (leader == null) {
      return "no leader is known";
    }
    Optional<MemberStatus> listed =
        leader.members().stream().filter(m -> m.name().equals(name)).findFirst();
    if (listed.isPresent()) {
      return listed.get().voter()
          ? ""
          : "it is joining, %d entries behind, %s"
              .formatted(
                  listed.get().lagEntries(),
                  listed.get().connected() ? "connected" : "not connected");
    }
    Optional<String> why =
        leader.warnings().stream().filter(said -> said.startsWith(name + ' ')).findFirst();
    if (why.isEmpty()) {
      // A new leader does not know of it.
      askLeader("add", name);
    }
    return why.orElse("a new leader was asked");
  }
}
