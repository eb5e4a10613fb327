package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mode total: clients ask any member; the faults are those of {@link GroupSimulationTest}, and hit
 * the messages that carry proposals as well. At the end every proposal must have come back.
 */
class TotalSimulationTest {
  private static final int SCHEDULES_DEFAULT = 4_000;
  private static final int SCHEDULES_UNTIL_FOUND = 6_000;

  private static GroupSimulation.Outcome run(long seed, Fault fault) {
    return GroupSimulation.total(seed, fault).run();
  }

  @Test
  void noScheduleBreaksAnInvariant() {
    Long seed = Long.getLong("seed");
    if (seed != null) {
      run(seed, Fault.NONE);
      return;
    }
    int schedules = Integer.getInteger("schedules", SCHEDULES_DEFAULT);
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong losses = new AtomicLong();
    long startNanos = System.nanoTime();
    LongStream.range(0, schedules)
        .parallel()
        .forEach(
            number -> {
              GroupSimulation.Outcome outcome = run(number, Fault.NONE);
              acknowledged.addAndGet(outcome.acknowledged());
              losses.addAndGet(outcome.losses());
            });
    System.out.printf(
        "total: %d schedules in %d s: %d operations acknowledged, %d times a majority lost power and entries%n",
        schedules,
        (System.nanoTime() - startNanos) / 1_000_000_000,
        acknowledged.get(),
        losses.get());
    assertThat(acknowledged.get()).isGreaterThan(schedules * 50L);
  }

  @Test
  void sameSeedGivesTheSameSchedule() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(run(seed, Fault.NONE)).isEqualTo(run(seed, Fault.NONE));
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "ACKNOWLEDGE_BEFORE_MAJORITY",
        "REPEATED_PROPOSAL_NOT_DROPPED",
        "CHECKPOINT_FORGETS_ORIGINS",
        "REPLY_FROM_A_LATER_STATE",
        "AHEAD_TAKEN_FOR_BUFFERED",
        "VOTE_NOT_PERSISTED"
      })
  void plantedFaultIsFound(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                run(seed, fault);
              }
            })
        .rootCause()
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()))
        // A member without the table finds itself that a proposal before one is missing.
        .isInstanceOfAny(Violation.class, IllegalStateException.class);
  }
}
