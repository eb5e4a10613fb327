package io.mgtm.group.core;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The answers to the questions of one candidacy. Owner thread. */
final class Ballot {

  /** An answer, and how much that member has of what it acknowledged. */
  record Answer(boolean granted, DurabilityState durabilityState) {
    boolean isOlderCopy() {
      return durabilityState == DurabilityState.OLDER_COPY;
    }

    /** One that has forgotten what it acknowledged counts only when an operator accepts that. */
    private boolean counts(boolean intactOnly, boolean lossAccepted) {
      return granted
          && (lossAccepted || !isOlderCopy())
          && (!intactOnly || durabilityState == DurabilityState.INTACT);
    }
  }

  private final CoreState s;
  private final Map<MemberId, Answer> answers = new HashMap<>();

  Ballot(CoreState s) {
    this.s = s;
  }

  /** A question begins, which this member answers for itself. */
  void begin() {
    answers.clear();
    answers.put(s.self, new Answer(true, s.record.durabilityState()));
  }

  void note(MemberId from, boolean granted, DurabilityState durabilityState) {
    if (s.members.latest().contains(from)) {
      answers.put(from, new Answer(granted, durabilityState));
    }
  }

  /** Null for none. */
  Answer of(MemberId member) {
    return answers.get(member);
  }

  boolean isEmpty() {
    return answers.isEmpty();
  }

  boolean isRefused() {
    return answers.values().stream().anyMatch(answer -> !answer.granted());
  }

  /** Whether the witness refuses, which cannot lead itself in this member's place. */
  boolean isRefusedByWitness() {
    return answers.entrySet().stream()
        .anyMatch(
            each -> !each.getValue().granted() && s.members.latest().isWitness(each.getKey()));
  }

  /** How many voters have answered. */
  long answered() {
    return s.members.latest().voters().stream().filter(answers::containsKey).count();
  }

  /** Those that were asked and have not answered. */
  List<MemberId> silent() {
    return s.othersAsked().stream().filter(other -> !answers.containsKey(other)).toList();
  }

  /** Who has granted of all who belong to the group, when an operator accepts a loss. */
  List<MemberId> granting() {
    return s.members.latest().all().stream()
        .filter(member -> isGrantedBy(member, false, true))
        .toList();
  }

  /** How many voters have granted. */
  long granted(boolean intactOnly, boolean lossAccepted) {
    return s.members.latest().voters().stream()
        .filter(voter -> isGrantedBy(voter, intactOnly, lossAccepted))
        .count();
  }

  /** Whether all voters with data have granted. */
  boolean isGrantedByData(boolean intactOnly, boolean lossAccepted) {
    return s.members.latest().dataVoters().stream()
        .allMatch(voter -> isGrantedBy(voter, intactOnly, lossAccepted));
  }

  /** Whether all who keep data have granted and lack nothing, one that was left out too. */
  boolean isGrantedByAllIntact() {
    return s.members.latest().all().stream()
        .filter(member -> !s.members.latest().isWitness(member))
        .allMatch(member -> isGrantedBy(member, true, false));
  }

  private boolean isGrantedBy(MemberId member, boolean intactOnly, boolean lossAccepted) {
    Answer answer = answers.get(member);
    return answer != null && answer.counts(intactOnly, lossAccepted);
  }
}
