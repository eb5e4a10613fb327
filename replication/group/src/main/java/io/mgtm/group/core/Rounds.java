package io.mgtm.group.core;

import java.util.Comparator;
import java.util.List;

/**
 * When a leader that needs a majority sends, and to whom. What comes while two rounds are
 * unanswered joins the next one. In a larger group a round goes to as many others as make a
 * majority with the leader, those that answered first when all were asked; the rest, the spares,
 * get the same entries in wider steps, so that one message wakes them where many would have. A
 * round that is not answered in time goes to all, and the first to answer are chosen anew. Whose
 * answers count does not change: a spare's do as any other's. Owner thread.
 */
final class Rounds {
  /** With one only, the line to the others would be idle while an answer is on its way. */
  private static final int UNANSWERED_MAX = 2;

  /** After so long all are asked, and what may be lost is said again. */
  private static final long LATE_MS = 20;

  /** For so long all are asked before some are chosen. */
  private static final long WIDE_MS = 200;

  /** So long those that were chosen are trusted to be the fastest. */
  private static final long CHOSEN_MS = 10_000;

  /** How long a spare waits for entries at most. */
  private static final long STEP_MS = 20;

  private final CoreState s;
  private final LeaderRole leader;
  private final Sender sender;
  private boolean wide = true;
  private long untilMs;

  /** When an answer last was of use, or a round began while none was awaited. */
  private long movedMs;

  private long steppedMs;

  Rounds(CoreState s, LeaderRole leader, Sender sender) {
    this.s = s;
    this.leader = leader;
    this.sender = sender;
    widen();
  }

  /** All are asked from now on, for a while. */
  void widen() {
    wide = true;
    untilMs = s.nowMs + WIDE_MS;
    for (Progress other : leader.others()) {
      other.spare = false;
      other.firsts = 0;
    }
  }

  /**
   * Begins a round, if anything wants one and few enough are unanswered.
   *
   * @param ask whether an answer is wanted although nothing may be unsent
   * @return whether it was begun
   */
  boolean begin(long limit, boolean ask) {
    if (sender.round() - leader.confirmed() >= UNANSWERED_MAX
        || !(ask || sender.hasUnsent(limit))) {
      return false;
    }
    if (!isAwaited()) {
      movedMs = s.nowMs;
    }
    sender.send(limit, ask, false);
    return true;
  }

  /** Whether an answer is waited for. */
  boolean isAwaited() {
    return sender.round() > leader.confirmed() || s.commitIndex < sender.sentLimit();
  }

  /** Something was confirmed or committed, by a member's answer. */
  void moved(Progress by) {
    movedMs = s.nowMs;
    by.firsts++;
  }

  /**
   * Looks at the time.
   *
   * @return whether all were asked because answers are late
   */
  boolean tick(long limit) {
    if (isAwaited() && s.nowMs - movedMs >= LATE_MS) {
      movedMs = s.nowMs;
      widen();
      sender.send(limit, true, true);
      return true;
    }
    if (s.nowMs >= untilMs) {
      if (wide) {
        choose();
      } else {
        widen();
      }
    }
    if (s.nowMs - steppedMs >= STEP_MS) {
      steppedMs = s.nowMs;
      // No more than is committed: that those who were chosen are late must not stay hidden.
      leader.others().stream()
          .filter(Progress::isSpare)
          .forEach(spare -> sender.sendUnsent(spare, s.commitIndex));
    }
    return false;
  }

  private void choose() {
    List<Progress> sure = leader.others().stream().filter(this::isSure).toList();
    int needed = s.members.latest().majority() - 1;
    if (!s.settings.thrifty() || !leader.isSteady() || sure.size() <= needed) {
      widen();
      return;
    }
    wide = false;
    untilMs = s.nowMs + CHOSEN_MS;
    sure.stream()
        .sorted(Comparator.comparingLong((Progress other) -> -other.firsts))
        .skip(needed)
        .forEach(other -> other.spare = true);
  }

  private boolean isSure(Progress other) {
    return !other.witness
        && !other.hinted
        && other.promisedMs >= s.promiseMs()
        && other.state == Progress.State.REPLICATE
        && leader.answers(other)
        && s.members.latest().isVoter(other.member);
  }
}
