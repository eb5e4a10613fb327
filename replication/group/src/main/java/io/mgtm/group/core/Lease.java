package io.mgtm.group.core;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Until when a leader knows that no other can lead, and need not ask: with {@link
 * Agreement#CONNECTED} beside a witness before it answers anything, with {@link Agreement#MAJORITY}
 * before it answers a read. Who has answered a round lets no other lead for {@link
 * CoreSettings#promiseMs} after it came, which was not before it was sent; so when a majority has
 * answered, no majority elects another before {@link CoreSettings#leaseMs} after that have passed.
 * Owner thread.
 */
final class Lease {
  private static final int ROUNDS_MAX = 1_024;

  private record Round(long number, long sentMs) {}

  private final CoreState s;
  private final long lengthMs;
  private final Deque<Round> rounds = new ArrayDeque<>();
  private long untilMs = Long.MIN_VALUE;

  /** Whether somebody was told that it does not hold, and waits for it. */
  private boolean awaited;

  /** Rounds up to this one do not count. */
  private long voidUpTo;

  Lease(CoreState s) {
    this.s = s;
    lengthMs = s.settings.leaseMs(s.agreement);
  }

  /** A round begins; it is sent now or later. */
  void begun(long round) {
    if (lengthMs > 0 && rounds.size() < ROUNDS_MAX) {
      rounds.addLast(new Round(round, s.nowMs));
    }
  }

  /** Whether a round has begun that a majority has not answered. */
  boolean isAsked() {
    return !rounds.isEmpty();
  }

  /** A majority has answered a round. */
  void answered(long round) {
    while (!rounds.isEmpty() && rounds.peekFirst().number() <= round) {
      Round known = rounds.removeFirst();
      if (known.number() > voidUpTo) {
        untilMs = Math.max(untilMs, known.sentMs() + lengthMs);
      }
    }
  }

  /** Only rounds that begin later count. */
  void end(long lastRound) {
    voidUpTo = lastRound;
    untilMs = Long.MIN_VALUE;
    awaited = true;
  }

  boolean holds(long nowMs) {
    boolean holds = nowMs < untilMs;
    awaited |= !holds;
    return holds;
  }

  /** Whether somebody waits who is told now that it holds again. */
  boolean takeAwaited() {
    boolean was = awaited;
    awaited = false;
    return was;
  }
}
