package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Effect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The promise that reservations rest on, against a log that keeps its rules and loses whatever it
 * may: no position is handed out twice over crashes.
 */
class ReservationTest {

  /** One entry of the log: how many positions it used, and what it asked of the disk. */
  private record Entry(long count, Effect effect) {}

  @ParameterizedTest
  @CsvSource({"1,1", "2,4", "3,32", "4,100", "5,7", "6,64"})
  void noPositionComesTwiceOverCrashesThatLoseTheEndOfTheLog(long seed, long step) {
    Random random = new Random(seed);
    Set<Long> released = new HashSet<>();
    long start = 0;
    for (int life = 0; life < 400; life++) {
      start = live(random, released, start, step);
    }
    assertThat(released).hasSizeGreaterThan(1_000);
  }

  /** One life from an empty log to a crash; returns where the next one starts. */
  private static long live(Random random, Set<Long> released, long start, long step) {
    Reservation reservation = new Reservation(start, step);
    List<Entry> log = new ArrayList<>();
    int durable = 0;
    int lastAhead = -1;
    int gate = -1;
    int releasedEntries = 0;
    int entries = random.nextInt(200);
    for (int i = 0; i < entries; i++) {
      Effect effect = Effect.LOGGED;
      long before = reservation.used();
      int commands = 1 + random.nextInt(4);
      for (int c = 0; c < commands; c++) {
        long end = reservation.used() + 1 + random.nextInt((int) Math.min(step, 3));
        effect = effect.and(reservation.useUpTo(end, step, i));
      }
      log.add(new Entry(reservation.used() - before, effect));
      if (effect == Effect.FORCED) {
        gate = i;
      } else if (effect == Effect.RESERVED) {
        gate = Math.max(gate, lastAhead);
        lastAhead = i;
      }
      if (random.nextInt(8) == 0) {
        durable = i + 1;
      }
      if (gate < durable) {
        releasedEntries = i + 1;
      }
    }
    long position = start;
    for (int i = 0; i < releasedEntries; i++) {
      for (long p = 0; p < log.get(i).count(); p++) {
        assertThat(released.add(position + p)).as("position %d", position + p).isTrue();
      }
      position += log.get(i).count();
    }
    int kept = durable + random.nextInt(log.size() - durable + 1);
    return replay(log.subList(0, kept), start, step).reserved();
  }

  private static Reservation replay(List<Entry> log, long start, long step) {
    Reservation replayed = new Reservation(start, step);
    for (int i = 0; i < log.size(); i++) {
      replayed.useUpTo(replayed.used() + log.get(i).count(), step, i);
    }
    return replayed;
  }

  @Test
  void withoutAStepEveryUseIsForced() {
    Reservation reservation = new Reservation(0, 0);
    assertThat(reservation.useUpTo(1, 0, 1)).isEqualTo(Effect.FORCED);
    assertThat(reservation.useUpTo(2, 0, 2)).isEqualTo(Effect.FORCED);
    assertThat(reservation.reserved()).isEqualTo(2);
  }

  @Test
  void twoRaisesInOneEntryAreForced() {
    Reservation reservation = new Reservation(0, 10);
    assertThat(reservation.useUpTo(10, 10, 1)).isEqualTo(Effect.LOGGED);
    assertThat(reservation.useUpTo(11, 10, 1)).isEqualTo(Effect.RESERVED);
    assertThat(reservation.useUpTo(21, 10, 1)).isEqualTo(Effect.FORCED);
  }
}
