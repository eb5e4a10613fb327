package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Agreement;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.LogSettings;
import java.util.List;
import java.util.Objects;

/**
 * How a member takes part in its group.
 *
 * @param name this member's
 * @param configured the same on each at the first start; later changes are made at run time and
 *     kept in the log
 * @param durability what is synced before a reply may leave, where the group has not agreed on it
 * @param segments the layout of the log on disk
 * @param checkpointBytes how much log, by whole files, lies behind a checkpoint before the next is
 *     written
 * @param tailBytes how much of the end of the log is kept in memory for the other members
 * @param tickMs how often the member looks at the time while anything is under way
 */
public record GroupSettings(
    String name,
    Configured configured,
    DurabilityMode durability,
    LogSettings segments,
    CoreSettings core,
    long checkpointBytes,
    int tailBytes,
    long tickMs) {

  /** In place of a name; no member can have it. */
  static final String ALONE = "lone node";

  /** Refuses what makes no sense. */
  public GroupSettings {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(segments, "segments");
    Objects.requireNonNull(core, "core");
    List<String> members = configured.members();
    String witness = configured.witness();
    if (!members.contains(name)
        || members.stream().distinct().count() != members.size()
        || members.size() > Membership.MEMBERS_MAX
        || members.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          "members is %s; up to %d different names, among them this member's, \"%s\", are allowed"
              .formatted(members, Membership.MEMBERS_MAX, name));
    }
    if (!witness.isEmpty() && (!members.contains(witness) || members.size() > 3)) {
      throw new IllegalArgumentException(
          "witness is \"%s\" and members %s; one of at most three members, or none, is allowed"
              .formatted(witness, members));
    }
    if (checkpointBytes < 1 || tailBytes < 0 || tickMs < 1) {
      throw new IllegalArgumentException(
          "checkpointBytes is %d, tailBytes %d, tickMs %d; 1, 0, 1 and more is allowed"
              .formatted(checkpointBytes, tailBytes, tickMs));
    }
  }

  public static GroupSettings of(String name, List<String> members) {
    return new GroupSettings(
        name,
        new Configured(members, ""),
        DurabilityMode.CRITICAL,
        LogSettings.defaults(),
        CoreSettings.defaults(),
        64L << 20,
        16 << 20,
        10);
  }

  /**
   * Those of a node without a group, which is a group of one: nobody else is asked, told or waited
   * for. What {@code durability} says counts from each start on.
   */
  public static GroupSettings alone(
      DurabilityMode durability, LogSettings segments, long checkpointBytes) {
    return new GroupSettings(
        ALONE,
        new Configured(List.of(ALONE), ""),
        durability,
        segments,
        CoreSettings.defaults(),
        checkpointBytes,
        0,
        1);
  }

  /**
   * What a core is given when it starts.
   *
   * @param lazy whether entries are committed when they are sent
   */
  GroupCore.Start start(
      boolean lazy,
      MemberId self,
      CoreLog log,
      Effects effects,
      MembershipHistory history,
      TermRecord record,
      long seed) {
    Agreement agreement = lazy ? Agreement.CONNECTED : Agreement.MAJORITY;
    return new GroupCore.Start(
        core, agreement, self, configured, durability, log, effects, history, record, seed);
  }

  /** Whether they are those of a node without a group. */
  public boolean isAlone() {
    return name.equals(ALONE);
  }

  public GroupSettings withDurability(DurabilityMode mode) {
    return new GroupSettings(
        name, configured, mode, segments, core, checkpointBytes, tailBytes, tickMs);
  }

  public GroupSettings withCore(CoreSettings of) {
    return new GroupSettings(
        name, configured, durability, segments, of, checkpointBytes, tailBytes, tickMs);
  }

  public GroupSettings withWitness(String of) {
    Configured with = new Configured(configured.members(), of, configured.beginning());
    return new GroupSettings(
        name, with, durability, segments, core, checkpointBytes, tailBytes, tickMs);
  }

  /** Whether this member is the witness. */
  public boolean isWitness() {
    return configured.isWitness(name);
  }
}
