package io.mgtm.group.member;

import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Role;
import io.mgtm.group.core.Standing;
import java.util.List;

/**
 * What a member knows of its group.
 *
 * @param leader the leader's name, empty when none is known
 * @param members as the member's log says; only a leader knows how far the others are
 * @param connected the names that its transport is connected with, its own among them
 */
public record GroupStatus(
    String name,
    Role role,
    boolean serving,
    boolean transferring,
    long term,
    String leader,
    Standing standing,
    long lastIndex,
    long committedIndex,
    long appliedIndex,
    List<Member> members,
    List<String> connected) {

  /**
   * One member.
   *
   * @param voter false while it is joining
   * @param matchedIndex how far its log is, -1 when not known
   */
  public record Member(String name, boolean voter, long matchedIndex) {}

  /** Owner thread. */
  static GroupStatus of(
      MemberId self, GroupCore core, boolean serving, long applied, List<String> connected) {
    List<Member> members =
        core.membership().all().stream()
            .map(
                member ->
                    new Member(
                        member.name(),
                        core.membership().isVoter(member),
                        member.equals(self) ? core.lastIndex() : core.matchedIndex(member)))
            .toList();
    return new GroupStatus(
        self.name(),
        core.role(),
        serving,
        core.isTransferring(),
        core.term(),
        core.leader() == null ? "" : core.leader().name(),
        core.standing(),
        core.lastIndex(),
        core.commitIndex(),
        applied,
        members,
        connected);
  }
}
