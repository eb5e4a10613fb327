package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mode total: clients ask any member; the faults are those of {@link GroupSimulationTest}, and hit
 * the messages that carry proposals as well. At the end every proposal must have come back.
 */
class TotalSimulationTest {
  private static final int SCHEDULES_DEFAULT = 4_000;
  private static final int SCHEDULES_UNTIL_FOUND = 10_000;

  private static GroupSimulation.Outcome run(long seed, Fault fault) {
    return GroupSimulation.total(seed, fault).run();
  }

  @Test
  void noScheduleBreaksAnInvariant() {
    Schedules.run(SCHEDULES_DEFAULT, seed -> run(seed, Fault.NONE))
        .ifPresent(
            ran -> {
              ran.print("a majority lost power and entries");
              assertThat(ran.acknowledged()).isGreaterThan(ran.count() * 50L);
            });
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
