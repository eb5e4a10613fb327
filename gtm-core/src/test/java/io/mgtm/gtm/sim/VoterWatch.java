package io.mgtm.gtm.sim;

import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupStatus;
import java.util.Set;
import java.util.stream.Collectors;

/** Notes which committed entries have changed who votes. */
final class VoterWatch {
  private final World world;
  private long term;
  private Set<String> voters = Set.of();

  VoterWatch(World world) {
    this.world = world;
  }

  /** A member's word counts while it leads and all that it has is committed. */
  void look(GroupStatus status) {
    if (status.role() != Role.LEADER
        || !status.serving()
        || status.term() < term
        || status.committedIndex() < status.lastIndex()) {
      return;
    }
    term = status.term();
    Set<String> now =
        status.members().stream()
            .filter(GroupStatus.Member::voter)
            .map(GroupStatus.Member::name)
            .collect(Collectors.toSet());
    if (!voters.isEmpty() && !voters.containsAll(now)) {
      world.note(Happening.VOTER_ADDED);
    }
    if (!now.containsAll(voters)) {
      world.note(Happening.VOTER_REMOVED);
    }
    voters = now;
  }
}
