package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.core.Agreement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mode fifo with two members that keep data and a witness. The faults and the promise are those of
 * {@link GroupSimulationTest}, but that no disk is emptied whose content nobody else has.
 */
class WitnessSimulationTest {
  private static final int SCHEDULES_DEFAULT = 3_000;
  private static final int SCHEDULES_UNTIL_FOUND = 6_000;

  private static GroupSimulation.Outcome run(long seed, Fault fault) {
    return GroupSimulation.witnessed(seed, fault, Agreement.MAJORITY).run();
  }

  @Test
  void noScheduleBreaksAnInvariant() {
    Schedules.run(SCHEDULES_DEFAULT, seed -> run(seed, Fault.NONE))
        .ifPresent(
            ran -> {
              ran.print("both lost power and entries");
              assertThat(ran.acknowledged()).isGreaterThan(ran.count() * 50L);
            });
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "WITNESS_ACKNOWLEDGES_BEFORE_STORING",
        "WITNESS_VOTES_FOR_A_LOG_BEHIND",
        "LEADER_GOES_ON_WITHOUT_THE_WITNESS",
        "VOTE_NOT_PERSISTED",
        "REQUIRED_ACKNOWLEDGED_BEFORE_FORCE",
        "READ_WITHOUT_CONFIRMATION"
      })
  void plantedFaultIsFound(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                run(seed, fault);
              }
            })
        .hasRootCauseInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
