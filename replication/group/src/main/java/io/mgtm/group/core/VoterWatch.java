package io.mgtm.group.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks whom an election waits for, round after round, and tells the operator when that lasts.
 * Owner thread.
 */
final class VoterWatch {
  /** In election timeouts. */
  private static final int PATIENCE = 5;

  /** How long too few members answer before it is said what can be done without them. */
  private static final int LAST_RESORT_MS = 30_000;

  private static final String AWAITED = "election";

  private final CoreState s;
  private final Ballot ballot;
  private boolean tooFew;

  /** When a process with a voter's name on another data folder said hello last. */
  private final Map<String, Long> elsewhereMs = new HashMap<>();

  VoterWatch(CoreState s, Ballot ballot) {
    this.s = s;
    this.ballot = ballot;
  }

  /** A leader is there. */
  void end() {
    tooFew = false;
    s.warnings.clear(AWAITED);
  }

  /** Whether in the last round too few have answered for anybody to lead. */
  boolean areTooFew() {
    return tooFew;
  }

  /** Who did not answer in the round that ends, when all who did are for this member. */
  void tell() {
    long leaderlessMs = s.nowMs - s.leaderlessSinceMs;
    boolean waits = isPatienceOver(s.leaderlessSinceMs) && !s.ownMembership.isOutside();
    List<String> silent = ballot.silent().stream().map(MemberId::name).toList();
    if (waits && ballot.isRefusedByWitness() && !silent.isEmpty()) {
      s.warnings.warn(
          AWAITED, NoLeader.refused(s.members.latest().witness(), String.join(", ", silent)));
    }
    if (ballot.isEmpty() || ballot.isRefused()) {
      tooFew = false;
      return;
    }
    long decide = s.isLeased() ? ballot.granting().size() : ballot.answered();
    tooFew = decide < s.members.latest().majority() && (s.needsMajority() || s.isLeased());
    if (!waits) {
      return;
    }
    String who =
        silent.isEmpty()
            ? "all answer, and some have lost what they had acknowledged"
            : missing(silent);
    s.warnings.warn(
        AWAITED,
        tooFew
            ? NoLeader.tooFew(who, leaderlessMs >= LAST_RESORT_MS)
            : NoLeader.unsure(who, s.self.name()));
  }

  private boolean isPatienceOver(long sinceMs) {
    return s.nowMs - sinceMs >= PATIENCE * s.settings.electionTimeoutMs();
  }

  private String missing(List<String> silent) {
    List<String> elsewhere = silent.stream().filter(this::isElsewhere).toList();
    List<String> away = silent.stream().filter(name -> !elsewhere.contains(name)).toList();
    List<String> said = new ArrayList<>();
    if (!away.isEmpty()) {
      said.add(
          String.join(", ", away) + (away.size() > 1 ? " have not answered" : " has not answered"));
    }
    if (!elsewhere.isEmpty()) {
      said.add(
          "%s %s not on the data folder that belongs to the group"
              .formatted(String.join(", ", elsewhere), elsewhere.size() > 1 ? "are" : "is"));
    }
    return String.join(", and ", said);
  }

  private boolean isElsewhere(String name) {
    return elsewhereMs.containsKey(name) && !isPatienceOver(elsewhereMs.get(name));
  }

  /** Somebody has no place, though perhaps the name of one that has. */
  void onHello(MemberId from) {
    Membership now = s.members.latest();
    if (now.named(from.name()).isPresent() && !now.contains(from)) {
      elsewhereMs.put(from.name(), s.nowMs);
    }
  }
}
