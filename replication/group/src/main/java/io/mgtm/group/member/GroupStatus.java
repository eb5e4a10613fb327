package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Role;
import io.mgtm.group.net.Transport;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What a member knows of its group.
 *
 * @param leader the leader's name, empty when none is known
 * @param durability of the group, as far as committed
 * @param members as the member's log says; only a leader knows how far the others are
 * @param witness the name of the member that votes and keeps no data, empty for none
 * @param connected the names that its transport is connected with, its own among them
 * @param founding tells the group from others; null while that is not known
 * @param outside why this member has no place in the group, in words that follow its name, or empty
 * @param warnings what an operator should know of, a sentence each
 */
public record GroupStatus(
    String name,
    Role role,
    boolean serving,
    boolean transferring,
    long term,
    String leader,
    DurabilityState durabilityState,
    long lastIndex,
    long committedIndex,
    long appliedIndex,
    DurabilityMode durability,
    List<Member> members,
    String witness,
    List<String> connected,
    UUID founding,
    String outside,
    List<String> warnings) {

  /**
   * One member.
   *
   * @param voter false while it is a learner
   * @param connected whether a process of its name is; as a leader says it, on this data folder
   * @param matchedIndex how far its log is, -1 when not known
   * @param identity tells the member from others of its name, which have other data folders
   */
  public record Member(
      String name, boolean voter, boolean connected, long matchedIndex, String identity) {}

  /** Owner thread. */
  static GroupStatus of(
      MemberId self,
      GroupCore core,
      boolean serving,
      long applied,
      Transport transport,
      String roomWarning) {
    List<String> connected = transport.connected();
    List<Member> members =
        core.membership().all().stream()
            .map(
                member ->
                    new Member(
                        member.name(),
                        core.membership().isVoter(member),
                        connected.contains(member.name()) && !core.isUnheard(member),
                        member.equals(self) ? core.lastIndex() : core.matchedIndex(member),
                        member.folder().toString()))
            .toList();
    return new GroupStatus(
        self.name(),
        core.role(),
        serving,
        core.isTransferring(),
        core.term(),
        core.leader() == null ? "" : core.leader().name(),
        core.durabilityState(),
        core.lastIndex(),
        core.commitIndex(),
        applied,
        core.membershipAt(core.commitIndex()).forces(),
        members,
        core.membership().witness(),
        connected,
        core.founding(),
        core.outside(),
        warnings(core, transport, connected, roomWarning));
  }

  /** The others that vote, keep data and are connected, the one whose log is farthest first. */
  public Stream<String> successors() {
    return members.stream()
        .filter(m -> m.voter() && !m.name().equals(name) && connected.contains(m.name()))
        .filter(m -> !m.name().equals(witness))
        .sorted(Comparator.comparingLong(Member::matchedIndex).reversed())
        .map(Member::name);
  }

  private static List<String> warnings(
      GroupCore core, Transport transport, List<String> connected, String roomWarning) {
    Stream<String> room = Stream.of(roomWarning).filter(w -> !w.isEmpty());
    Stream<String> awaited =
        core.awaited().stream()
            .sorted()
            .map(name -> awaited(name, connected, transport.refusedCertificate()));
    Stream<String> refused =
        refused(
            core.membership().all().stream().map(MemberId::name).toList(),
            core.awaited(),
            connected,
            transport.refusedCertificate())
            .stream();
    return Stream.of(
            room, core.warnings().stream(), transport.warnings().stream(), refused, awaited)
        .flatMap(Function.identity())
        .toList();
  }

  /**
   * What keeps a process out while a member is missing.
   *
   * @param members empty while no group is founded
   * @param awaited who may join; what is said of them says it
   */
  static Optional<String> refused(
      List<String> members,
      Collection<String> awaited,
      List<String> connected,
      Optional<String> refusedCertificate) {
    boolean isWhole = !members.isEmpty() && connected.containsAll(members);
    return refusedCertificate.filter(why -> !isWhole && connected.containsAll(awaited));
  }

  /** About one that may join and has not. */
  static String awaited(String name, List<String> connected, Optional<String> refusedCertificate) {
    return connected.contains(name)
        ? "%s may join, and is connected; it has not been let in yet".formatted(name)
        : "%s may join, and is not connected: %s"
            .formatted(
                name,
                refusedCertificate.orElse(
                    "start it with a configuration that names all members, itself included"));
  }
}
