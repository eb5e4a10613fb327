package io.mgtm.gtm.cli;

import io.mgtm.gtm.client.NodeRefusedException;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.NodeStatus.MemberStatus;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code mgtm gtm await-in-sync}: returns when members have everything that the leader had when it
 * was asked. Under load the leader is always some entries ahead, so the goal stands still.
 */
@Command(
    name = "await-in-sync",
    description = {
      "Waits until the member at --at, and all others or those named, are connected, vote, and have"
          + " all entries that the leader had at the beginning.",
      "Between two members of a rolling restart, ask the one that was restarted."
    })
final class AwaitInSyncCommand extends AdminCommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "MEMBER",
      description = "The members to wait for. Default: all of the group.")
  private List<String> members = List.of();

  @Option(
      names = "--wait-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description = "How long to wait for the end. Default: 60000.")
  private int waitMs;

  @Override
  String run() throws IOException {
    if (waitMs < 1) {
      throw bad("--wait-ms: " + waitMs + " is not allowed, expected 1 or more");
    }
    Goal goal = new Goal(members);
    awaitNothingMissing(waitMs, "not in sync", () -> look(goal));
    return "%s: in sync at entry %d".formatted(String.join(", ", goal.names), goal.index);
  }

  /** What is missing, empty when nothing is. A node that is being started does not answer yet. */
  private String look(Goal goal) throws IOException {
    NodeStatus here;
    NodeStatus leader;
    try {
      here = status();
      leader = statusOfLeader(here);
    } catch (NodeRefusedException e) {
      throw e;
    } catch (IOException e) {
      return e.getMessage();
    }
    if (here.mode().equals("single")) {
      throw new IOException("the node at %s is no member of a group".formatted(at()));
    }
    if (here.role().equals("witness")) {
      throw new IOException(
          "%s at %s is the witness and keeps no entries; ask a member with data"
              .formatted(here.member(), at()));
    }
    String missing = leader == null ? "no leader is known" : goal.missing(here, leader);
    return missing.isEmpty() && !here.trouble().isEmpty()
        ? "%s does not serve: %s".formatted(here.member(), here.trouble())
        : missing;
  }

  /** How far the members must be: as far as the leader of a term was when first seen. */
  private static final class Goal {
    private final boolean all;
    private List<String> names;
    private long term = -1;
    private long index;

    Goal(List<String> names) {
      this.names = names;
      all = names.isEmpty();
    }

    String missing(NodeStatus here, NodeStatus leader) throws IOException {
      refuseStrangers(leader.members().stream().map(MemberStatus::name).toList());
      if (leader.term() != term) {
        term = leader.term();
        index = leader.lastIndex();
      }
      if (all) {
        names =
            leader.members().stream()
                .filter(member -> !member.witness())
                .map(MemberStatus::name)
                .toList();
      }
      if (here.appliedIndex() < index) {
        // The leader may not have noticed yet that this member was restarted.
        return "%s has %d of %d entries".formatted(here.member(), here.appliedIndex(), index);
      }
      for (String name : names) {
        String missing =
            leader.members().stream()
                .filter(member -> member.name().equals(name))
                .findFirst()
                .map(this::missing)
                .orElse("");
        if (!missing.isEmpty()) {
          return missing;
        }
      }
      return "";
    }

    private void refuseStrangers(List<String> known) throws IOException {
      for (String name : names) {
        if (!known.contains(name)) {
          throw new IOException(
              "%s is not a member of the group; its members are %s"
                  .formatted(name, String.join(", ", known)));
        }
      }
    }

    private String missing(MemberStatus member) {
      if (!member.connected()) {
        return member.name() + " is not connected";
      }
      if (!member.voter()) {
        return member.name() + " is still joining";
      }
      if (!member.witness() && member.matchedIndex() < index) {
        return "%s has %d of %d entries".formatted(member.name(), member.matchedIndex(), index);
      }
      return "";
    }
  }
}
