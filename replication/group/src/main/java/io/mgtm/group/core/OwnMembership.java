package io.mgtm.group.core;

import java.util.List;
import java.util.Optional;

/**
 * Whether this member is one of the group, and what it tells others that are not. A leader sends
 * nothing any more to a member that it takes out, so that one does not learn it from its log. Owner
 * thread.
 */
final class OwnMembership {
  /** In election timeouts: a new member is let in that soon, or another holds its place. */
  private static final int JOINS_WITHIN = 5;

  private static final long LOOK_MS = 1_000;
  private static final String PLACE = "place";
  private static final String OLDER_COPY = "older copy";

  private final CoreState s;
  private final long startedMs;

  /** Whether it was a member in a former start. */
  private final boolean wasMember;

  /** Whether it was started with other names than its log says. */
  private boolean configuredOtherwise;

  private long outUntilMs;

  /** Whether it was told that another process of its name is a member. */
  private boolean displaced;

  /** Where another process of this member's name is, or empty. */
  private String rival = "";

  /** When a leader was heard, or no such process was there. */
  private long heardMs;

  private long nextLookMs;

  OwnMembership(CoreState s) {
    this.s = s;
    this.startedMs = s.nowMs;
    this.wasMember = s.isSettled();
    this.outUntilMs = s.nowMs;
    this.heardMs = s.nowMs;
    this.configuredOtherwise = !s.hasNoMembership() && isConfiguredOtherwise();
  }

  private boolean isConfiguredOtherwise() {
    return !s.configured.hasSameMembers(names(s.members.latest()));
  }

  /**
   * A witness that is set before it is added is no mistake, nor one that is to leave for a learner.
   */
  private void lookForWitness() {
    String agreed = s.members.latest().witness();
    boolean differs = !s.configured.isWitness(agreed) && !s.hasNoMembership();
    if (differs && (s.isWitness() || (!agreed.isEmpty() && s.isVoter()))) {
      s.warnings.warn(
          "configured witness",
          "The group has %s, and this member was started with %s: the group's own word counts. Correct its configuration, and start it again"
              .formatted(
                  Configured.witnessInWords(agreed),
                  Configured.witnessInWords(s.configured.witness())));
    }
  }

  /** Tells the operator whether this member's folder is an older copy. */
  void tell() {
    if (s.record.durabilityState() == DurabilityState.OLDER_COPY) {
      s.warnings.warn(
          OLDER_COPY,
          "%s was started on an older copy of its data folder, and lacks what it had acknowledged; it votes for nobody until a leader has given it that again"
              .formatted(s.self));
    } else {
      s.warnings.clear(OLDER_COPY);
    }
  }

  /** Those who are added while others run are in nobody's configuration, and that is right. */
  void tick() {
    if (s.nowMs < nextLookMs) {
      return;
    }
    nextLookMs = s.nowMs + LOOK_MS;
    tell();
    lookForWitness();
    lookForRival();
    configuredOtherwise &= isConfiguredOtherwise();
    if (configuredOtherwise) {
      s.warnings.warn(
          "configured members",
          "The group has the members %s, and this one was started with %s: the group's own list counts. Correct the setting, which says where the others are found"
              .formatted(names(s.members.latest()), s.configured.members()));
    }
  }

  /** Another process of this member's name is at {@code place}; none when that is empty. */
  void rival(String place) {
    rival = place;
  }

  private void lookForRival() {
    if (isHeard()) {
      heardMs = s.nowMs;
    }
    if (isUnheard()) {
      warn(
          "%s hears no leader, and the others hear another process of its name instead, at %s. Stop the one that is wrong; the other then takes the place, by itself"
              .formatted(s.self, rival));
    }
  }

  /** Whether the others seem to hear another process of this name. */
  private boolean isUnheard() {
    return !isHeard() && s.nowMs - heardMs > JOINS_WITHIN * s.settings.electionTimeoutMs();
  }

  private boolean isHeard() {
    return rival.isEmpty() || s.role == Role.LEADER || s.hearsLeader();
  }

  /** Tells a member that stands in no membership, when this one knows the newest. */
  void tell(MemberId from) {
    Membership now = s.members.latest();
    boolean known =
        !s.isWitness()
            && s.hearsLeader()
            && s.members.latestIndex() <= s.commitIndex
            && !s.hasNoMembership();
    if (known && !now.contains(from)) {
      s.effects.send(List.of(from.name()), new Message.NotAMember(s.term(), s.founding(), now));
    }
  }

  void onTold(Message.NotAMember m) {
    if (m.membership().contains(s.self)) {
      return;
    }
    outUntilMs = s.nowMs + 2 * s.settings.electionTimeoutMs();
    if (s.role != Role.LEADER) {
      s.follow(s.term(), s.leader);
      s.awaitLeader();
    }
    Optional<MemberId> instead = m.membership().named(s.self.name());
    displaced = instead.isPresent();
    if (instead.isEmpty()) {
      warn(
          "%s is not a member of the group, which has %s: it was taken out, or not added yet. Add it, or stop it"
              .formatted(s.self, names(m.membership())));
    } else if (wasMember) {
      warn(
          ("%s has lost its place in the group to another process of its name, %s, which has another data folder."
                  + " Stop the one that is wrong; once that is gone the other takes the place")
              .formatted(s.self, instead.get()));
    } else if (s.nowMs - startedMs > JOINS_WITHIN * s.settings.electionTimeoutMs()) {
      warn(
          "%s is not let in: the group has a member of this name on another data folder, %s, which is not gone"
              .formatted(s.self, instead.get()));
    }
  }

  /** The leader sends it entries: to one that is out it sends none. */
  void fed() {
    if (outUntilMs > s.nowMs && s.members.latest().contains(s.self)) {
      outUntilMs = s.nowMs;
      s.warnings.clear(PLACE);
    }
  }

  private static List<String> names(Membership membership) {
    return membership.all().stream().map(MemberId::name).toList();
  }

  private void warn(String sentence) {
    s.warnings.warn(PLACE, sentence);
  }

  /** Whether this member was told that it is out. */
  boolean isLost() {
    return s.nowMs < outUntilMs;
  }

  /** Whether it was told that it is out, or knows a membership without it, or is not heard. */
  boolean isOutside() {
    return !outside().isEmpty();
  }

  /** Why it has no place in the group, in words that follow its name; empty when it has one. */
  String outside() {
    if (isUnheard() || (isLost() && displaced)) {
      return "is not heard by the group, which has another process of its name";
    }
    boolean unknown = !s.hasNoMembership() && !s.members.latest().contains(s.self);
    return isLost() || unknown ? "is not a member of the group" : "";
  }

  /** Whether this member has a place. */
  boolean isHeld() {
    return s.members.latest().contains(s.self) && !isLost();
  }
}
