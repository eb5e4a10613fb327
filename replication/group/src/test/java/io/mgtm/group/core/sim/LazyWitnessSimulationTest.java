package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.core.Agreement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mode lazy with two members that keep data and a witness: what {@link LazySimulationTest} does,
 * lines that are cut, which views show late or never, and a witness that is started again within
 * what it has promised.
 */
class LazyWitnessSimulationTest {
  private static final int SCHEDULES_DEFAULT = 500;
  private static final int SCHEDULES_UNTIL_FOUND = 6_000;

  private static GroupSimulation.Outcome run(long seed, Fault fault) {
    return GroupSimulation.witnessed(seed, fault, Agreement.CONNECTED).run();
  }

  @Test
  void noScheduleBreaksAnInvariant() {
    Schedules.run(SCHEDULES_DEFAULT, seed -> run(seed, Fault.NONE))
        .ifPresent(
            ran -> {
              ran.print("entries were lost with a leader");
              assertThat(ran.acknowledged()).isGreaterThan(ran.count() * 50L);
              assertThat(ran.losses()).as("what is allowed is seen").isPositive();
            });
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "WITNESS_ACKNOWLEDGES_BEFORE_STORING",
        "WITNESS_VOTES_FOR_A_LOG_BEHIND",
        "LEADER_GOES_ON_WITHOUT_THE_WITNESS",
        "LOSS_NOT_TOLD"
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
