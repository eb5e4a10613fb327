package io.mgtm.group.core;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Looks whether members that are behind come nearer. One that does not within some election
 * timeouts is told of, with what is known of the cause. Owner thread.
 */
final class LagWatch {
  /** In election timeouts. */
  private static final int PATIENCE = 5;

  private static final long LOOK_MS = 500;

  /** What was to be reached, when that was decided, and how far away it was. */
  private record Aim(long index, long sinceMs, long lag) {}

  private final CoreState s;
  private final LeaderRole leader;
  private final Map<MemberId, Aim> aims = new HashMap<>();

  /** When a member last said so. */
  private final Map<MemberId, Long> withoutRoomMs = new HashMap<>();

  private Set<String> excused = Set.of();
  private long nextLookMs;

  LagWatch(CoreState s, LeaderRole leader) {
    this.s = s;
    this.leader = leader;
  }

  /** Members that may be away. */
  void excuse(Set<String> names) {
    excused = Set.copyOf(names);
  }

  /** A member cannot store what it is sent. */
  void hasNoRoom(MemberId member) {
    withoutRoomMs.put(member, s.nowMs);
  }

  void tick() {
    if (s.nowMs < nextLookMs) {
      return;
    }
    nextLookMs = s.nowMs + LOOK_MS;
    aims.keySet().removeIf(member -> leader.progress(member) == null);
    withoutRoomMs.values().removeIf(since -> !isPatient(since));
    for (Progress other : leader.others()) {
      if (waitsForSeat(other)) {
        lookAtSeat(other);
      } else if (other.witness) {
        lookAtWitness(other);
      } else {
        look(other);
      }
    }
  }

  private boolean waitsForSeat(Progress other) {
    return s.members.latest().learners().contains(other.member)
        && !leader.changes().hasSeat(other.member)
        && leader.answers(other)
        && other.isCaughtUp();
  }

  /** It lacks nothing but a place. */
  private void lookAtSeat(Progress other) {
    Aim aim = aims.computeIfAbsent(other.member, member -> new Aim(0, s.nowMs, 0));
    if (!isPatient(aim.sinceMs())) {
      s.warnings.warn(
          subject(other),
          "%s learns, and votes once another has left: a witness goes with two members that keep data. Remove one"
              .formatted(other.member.name()));
    }
  }

  /** It has nothing to catch up with, and is missed when another member goes. */
  private void lookAtWitness(Progress witness) {
    if (s.members.latest().isVoter(witness.member)) {
      aims.remove(witness.member);
    } else {
      aims.putIfAbsent(witness.member, new Aim(0, s.nowMs, 0));
    }
    Aim learns = aims.get(witness.member);
    if (isPatient(witness.lastAckMs)) {
      if (learns == null || isPatient(learns.sinceMs())) {
        s.warnings.clear(subject(witness));
      } else {
        s.warnings.warn(
            subject(witness),
            "The witness %s was let in anew and does not vote yet, and nobody leads when another member goes now; it votes when the other member that keeps data has stored that it is new"
                .formatted(witness.member.name()));
      }
    } else {
      s.warnings.warn(
          subject(witness),
          "The witness %s has not answered for %d s, and nobody leads when another member goes now; look whether it runs and can be reached"
              .formatted(witness.member.name(), (s.nowMs - witness.lastAckMs) / 1_000));
    }
  }

  private void look(Progress other) {
    long lag = s.log.lastIndex() - other.match;
    Aim aim = aims.get(other.member);
    boolean nearer = aim != null && (other.match >= aim.index() || lag < aim.lag());
    boolean mayBeAway = excused.contains(other.member.name()) && !leader.answers(other);
    if (aim == null || nearer || mayBeAway) {
      aims.put(other.member, new Aim(s.log.lastIndex(), s.nowMs, lag));
      s.warnings.clear(subject(other));
    } else if (!isPatient(aim.sinceMs())) {
      s.warnings.warn(
          subject(other),
          other.isOlderCopy
              ? "%s has no longer what it had acknowledged, as with an older copy of its data folder, and does not act on being told so; stop it and start it with an empty one"
                  .formatted(other.member.name())
              : "%s is %d entries behind and comes no nearer: %s"
                  .formatted(other.member.name(), lag, cause(other)));
    }
  }

  private boolean isPatient(long sinceMs) {
    return s.nowMs - sinceMs < PATIENCE * s.settings.electionTimeoutMs();
  }

  private static String subject(Progress other) {
    return "lag of " + other.member.name();
  }

  private String cause(Progress other) {
    if (withoutRoomMs.containsKey(other.member)) {
      return "the disk of its data folder has no room; free some space there, it goes on by itself";
    }
    if (!isPatient(other.lastAckMs)) {
      return "it has not answered for %d s; look whether it runs and can be reached"
          .formatted((s.nowMs - other.lastAckMs) / 1_000);
    }
    return switch (other.state) {
      case PROBE -> "it answers, and where its log agrees with this one's is not found yet";
      case REPLICATE -> "it answers, and stores less than the group writes; look at its disk";
      case CHECKPOINT ->
          "it has %d of the %d bytes of the checkpoint that it needs"
              .formatted(other.checkpointOffset, other.checkpoint.bytes());
    };
  }
}
