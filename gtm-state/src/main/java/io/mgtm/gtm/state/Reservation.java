package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Effect;

/**
 * Hands out positions 0, 1, 2, … of which none comes twice, also when the end of the log is lost in
 * a power cut, without a forced write for each.
 *
 * <p>Two marks lie ahead of what is used. Positions below {@code covered} are backed by a raise
 * that is on disk. The first use at {@code covered} raises the marks by one step ({@link
 * Effect#RESERVED}): what was {@code reserved} becomes {@code covered}, and the log sees to it that
 * no later raise is acknowledged before this one is on disk. So whatever was handed out lies below
 * {@code reserved} of every state that a recovery can give, and a restart goes on from there.
 *
 * <p>Two raises in one log entry cannot wait for each other; then the entry itself is forced.
 */
final class Reservation {
  private long used;
  private long covered;
  private long reserved;
  private long raisedInEntry;

  /** Starts at {@code used} with both marks set by the entry that is being applied. */
  Reservation(long used, long step) {
    restart(used, step);
  }

  /** One as it was; {@code raisedInEntry} is -1 where the entry is not of this process. */
  Reservation(long used, long covered, long reserved, long raisedInEntry) {
    this.used = used;
    this.covered = covered;
    this.reserved = reserved;
    this.raisedInEntry = raisedInEntry;
  }

  /** The same, and what the entry that is being applied has done to it. */
  Reservation copy() {
    return new Reservation(used, covered, reserved, raisedInEntry);
  }

  /** Starts again at {@code used}; the entry that does so must be forced. */
  void restart(long used, long step) {
    this.used = used;
    this.covered = used + step;
    this.reserved = used + 2 * step;
    this.raisedInEntry = -1;
  }

  /**
   * Uses positions up to and without {@code end}.
   *
   * @param step how far to raise; 0 means that this use is to be forced itself
   * @param entry the number of the log entry being applied
   */
  Effect useUpTo(long end, long step, long entry) {
    Effect effect = Effect.LOGGED;
    while (end > covered) {
      boolean again = raisedInEntry == entry;
      covered = Math.max(reserved, step == 0 ? end : 0);
      reserved = covered + step;
      raisedInEntry = entry;
      effect = effect.and(again || step == 0 ? Effect.FORCED : Effect.RESERVED);
    }
    used = end;
    return effect;
  }

  long used() {
    return used;
  }

  long covered() {
    return covered;
  }

  /** Everything handed out before a crash lies below this. */
  long reserved() {
    return reserved;
  }

  long raisedInEntry() {
    return raisedInEntry;
  }
}
