package io.mgtm.group.raft;

import io.mgtm.group.core.Role;
import io.mgtm.group.core.Standing;
import io.mgtm.group.member.GroupStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is in the group, as jgroups-raft has it, and changes of that. Owner thread. */
final class RaftMembership {
  private static final Logger log = LoggerFactory.getLogger(RaftMembership.class);

  private final String name;
  private final RaftDisk disk;
  private final RaftReplica replica;
  private final GroupRaft raft;
  private final RaftChannel channel;

  RaftMembership(
      String name, RaftDisk disk, RaftReplica replica, GroupRaft raft, RaftChannel channel) {
    this.name = name;
    this.disk = disk;
    this.replica = replica;
    this.raft = raft;
    this.channel = channel;
  }

  /** A leader lets a member join; the answer is why not. */
  Optional<String> add(String member, long changedAt) {
    if (replica.members().contains(member)) {
      return Optional.of(member + " is a member already");
    }
    if (!channel.connected().contains(member)) {
      return Optional.of(member + " is not connected; start it first");
    }
    return change(member, true, changedAt);
  }

  /** A leader takes a member out; the answer is why not. */
  Optional<String> remove(String member, long changedAt) {
    return replica.members().contains(member)
        ? change(member, false, changedAt)
        : Optional.of(member + " is not a member");
  }

  private Optional<String> change(String member, boolean joins, long changedAt) {
    if (!raft.behindCommitOf(changedAt).isEmpty()) {
      return Optional.of(
          "not all connected members know of the change before this one yet; try again");
    }
    try {
      CompletableFuture<byte[]> change = joins ? raft.addServer(member) : raft.removeServer(member);
      change.whenComplete(
          (ignored, lost) -> {
            if (lost != null) {
              log.warn(
                  "The change of the membership by {} did not happen: {}", member, lost.toString());
            }
          });
      return Optional.empty();
    } catch (Exception e) {
      return Optional.of("the membership cannot be changed now: " + e.getMessage());
    }
  }

  GroupStatus status(boolean leads, boolean serving) {
    Map<Address, Long> matched = raft.matchedByMember();
    List<String> voters = replica.members().stream().sorted().toList();
    List<GroupStatus.Member> members = new ArrayList<>();
    for (String voter : voters) {
      members.add(new GroupStatus.Member(voter, true, matchedOf(voter, matched)));
    }
    for (String other : channel.connected()) {
      if (!voters.contains(other)) {
        members.add(new GroupStatus.Member(other, false, matchedOf(other, matched)));
      }
    }
    Address leader = raft.leader();
    String leaderName = leader == null ? "" : Objects.toString(RaftChannel.nameOf(leader), "");
    return new GroupStatus(
        name,
        leads ? Role.LEADER : Role.FOLLOWER,
        serving,
        false,
        raft.currentTerm(),
        leaderName,
        Standing.INTACT,
        disk.lastAppended(),
        raft.commitIndex(),
        replica.index(),
        members,
        channel.connected());
  }

  private long matchedOf(String member, Map<Address, Long> matched) {
    if (member.equals(name)) {
      return disk.lastAppended();
    }
    return matched.entrySet().stream()
        .filter(entry -> member.equals(RaftChannel.nameOf(entry.getKey())))
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElse(-1);
  }
}
