package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import java.math.BigInteger;

/**
 * One sequence, with the fields and the rules of the original (gtm_seq.c), overflow at the ends of
 * 64 bits put right. Values are handed out against a {@link Reservation} counted in draws.
 */
final class Sequence {
  private static final long STEP_FIRST = 32;
  private static final long STEP_MAX = 8_192;

  final String key;
  long value;
  long init;
  long last;
  long increment;
  long min;
  long max;
  boolean cycle;
  boolean called;

  private Reservation reservation = new Reservation(0, 0);
  private long step = STEP_FIRST;

  /** Where it was read, as long as nothing has moved there since; see {@link SequencePages}. */
  private int place = -1;

  private long moves;

  Sequence(String key) {
    this.key = key;
  }

  /** A copy under a key, the reservation included. */
  Sequence copyAs(String newKey) {
    Sequence copy = new Sequence(newKey);
    copy.value = value;
    copy.init = init;
    copy.last = last;
    copy.increment = increment;
    copy.min = min;
    copy.max = max;
    copy.cycle = cycle;
    copy.called = called;
    copy.reservation = reservation.copy();
    copy.step = step;
    return copy;
  }

  /** Starts the reservation anew; the entry that does so is forced. */
  void restartReservation() {
    step = STEP_FIRST;
    reservation.restart(0, Math.min(step, drawsLeft() / 4));
  }

  /** Moves to the next value; false when there is none. */
  boolean draw() {
    if (!called) {
      value = init;
      called = true;
    } else {
      long following = value + increment;
      boolean inside =
          increment > 0
              ? following > value && following <= max
              : following < value && following >= min;
      if (inside) {
        value = following;
      } else if (cycle) {
        value = increment > 0 ? min : max;
      } else {
        return false;
      }
    }
    last = value;
    return true;
  }

  /** Accounts for one draw. */
  Effect settle(long entry) {
    long end = reservation.used() + 1;
    long raiseBy = 0;
    if (end > reservation.covered()) {
      step = Math.min(STEP_MAX, step * 2);
      raiseBy = Math.min(step, drawsLeft() / 4);
    }
    return reservation.useUpTo(end, raiseBy, entry);
  }

  /** After a crash: passes over what may have been handed out. */
  void skipReserved() {
    long draws = reservation.reserved() - reservation.used();
    if (draws > 0) {
      skip(draws);
    }
    restartReservation();
  }

  private void skip(long draws) {
    long steps = draws;
    if (!called) {
      draw();
      steps--;
    }
    long toEnd = stepsToEnd();
    if (steps > toEnd && cycle) {
      value = increment > 0 ? min : max;
      last = value;
      steps = (steps - toEnd - 1) % (stepsToEnd() + 1);
    }
    value += Math.min(steps, stepsToEnd()) * increment;
    last = value;
  }

  /** How many draws the sequence has in it before it ends; Long.MAX_VALUE when it never does. */
  private long drawsLeft() {
    if (cycle) {
      return Long.MAX_VALUE;
    }
    long steps = stepsToEnd();
    return called || steps == Long.MAX_VALUE ? steps : steps + 1;
  }

  /** How many increments fit between the value and the bound ahead. */
  private long stepsToEnd() {
    long end = increment > 0 ? max : min;
    long at = called ? value : init;
    long distance = end - at;
    boolean overflows = ((end ^ at) & (end ^ distance)) < 0;
    if (!overflows && distance != Long.MIN_VALUE) {
      return Math.max(0, distance / increment);
    }
    BigInteger bound = BigInteger.valueOf(end);
    BigInteger from = BigInteger.valueOf(at);
    BigInteger steps = bound.subtract(from).divide(BigInteger.valueOf(increment));
    return steps.signum() < 0 ? 0 : steps.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
  }

  void place(int at, long movesBefore) {
    place = at;
    moves = movesBefore;
  }

  /** Where it was read, or -1 when something has moved since, or it was not read. */
  int placeAt(long movesNow) {
    return moves == movesNow ? place : -1;
  }

  Reservation reservation() {
    return reservation;
  }

  long step() {
    return step;
  }

  void restoreReservation(Reservation restored, long restoredStep) {
    reservation = restored;
    step = restoredStep;
  }

  SequenceInfo info() {
    return new SequenceInfo(key, value, init, last, increment, min, max, cycle, called);
  }
}
