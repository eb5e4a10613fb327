package io.mgtm.gtm.node.admin;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Objects;

/**
 * What a node tells an operator; the names are stable, they are the fields of the JSON answer. What
 * a node of a later version says beyond them is passed over, and what one of an earlier version
 * does not say is not known, or none.
 *
 * @param mode how the group replicates; {@code single} without a group
 * @param role {@code leader}, {@code follower}, {@code candidate}, {@code witness}, or {@code
 *     outsider} for one that has no place in the group
 * @param serving whether it leads and takes commands
 * @param leader the leader's name, empty when none is known
 * @param leaderAddress where gateways reach the leader, empty when not known
 * @param durability what the group forces to disk, as far as committed: {@code critical} or {@code
 *     all}
 * @param sessions of gateways, and of direct clients without a group
 * @param members of the group, by name
 * @param warnings what an operator should know of, a sentence each
 * @param trouble why the clients of this node are not served, as {@code /health} says; empty when
 *     they are, and of a node of before, which does not say
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeStatus(
    String member,
    String mode,
    String role,
    boolean serving,
    boolean transferring,
    long term,
    String leader,
    String leaderAddress,
    long lastIndex,
    long committedIndex,
    long appliedIndex,
    String durability,
    int sessions,
    List<MemberStatus> members,
    List<String> warnings,
    String trouble) {

  /** A node of an earlier version leaves out what it does not know. */
  public NodeStatus {
    durability = Objects.requireNonNullElse(durability, "not known");
    members = Objects.requireNonNullElse(members, List.of());
    warnings = Objects.requireNonNullElse(warnings, List.of());
    trouble = Objects.requireNonNullElse(trouble, "");
  }

  /** Whether it says that it leads and takes commands. */
  public boolean leads() {
    return serving && role.equals("leader");
  }

  /** The same with what is wrong with this node. */
  public NodeStatus troubledBy(String why) {
    return new NodeStatus(
        member,
        mode,
        role,
        serving,
        transferring,
        term,
        leader,
        leaderAddress,
        lastIndex,
        committedIndex,
        appliedIndex,
        durability,
        sessions,
        members,
        warnings,
        why);
  }

  /**
   * One member as the one that was asked knows it.
   *
   * @param voter false while it joins
   * @param witness whether it votes and keeps no data
   * @param connected whether the one that was asked has a connection to it
   * @param matchedIndex how far its log is; -1 when not known, only a leader knows, and for a
   *     witness
   * @param lagEntries how far it is behind the leader's log; -1 when not known, and for a witness
   * @param address where gateways reach it; known of the one that was asked and of who has led,
   *     empty otherwise
   * @param groupAddress where the other members reach it, as the one that was asked was told by
   *     {@code --members}; empty for one that was added since
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record MemberStatus(
      String name,
      boolean voter,
      boolean witness,
      boolean connected,
      long matchedIndex,
      long lagEntries,
      String address,
      String groupAddress) {

    /** As that of the node. */
    public MemberStatus {
      address = Objects.requireNonNullElse(address, "");
      groupAddress = Objects.requireNonNullElse(groupAddress, "");
    }
  }
}
