package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs many schedules ({@code -Dschedules=N}), or one again ({@code -Dseed=N}); a failure says its
 * seed.
 */
class GroupSimulationTest {
  private static final int SCHEDULES_DEFAULT = 10_000;
  private static final int SCHEDULES_UNTIL_FOUND = 6_000;

  @Test
  void noScheduleBreaksAnInvariant() {
    Schedules.run(SCHEDULES_DEFAULT, seed -> new GroupSimulation(seed, Fault.NONE).run())
        .ifPresent(
            ran -> {
              ran.print("a majority lost power and entries");
              assertThat(ran.acknowledged()).isGreaterThan(ran.count() * 50L);
            });
  }

  @Test
  void sameSeedGivesTheSameSchedule() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(new GroupSimulation(seed, Fault.NONE).run())
          .isEqualTo(new GroupSimulation(seed, Fault.NONE).run());
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "NONE",
        "RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP",
        "SUCCESSOR_NOT_IN_STEP",
        "LAZY_WITHOUT_FENCE",
        "LOSS_NOT_TOLD",
        "WITNESS_ACKNOWLEDGES_BEFORE_STORING",
        "WITNESS_VOTES_FOR_A_LOG_BEHIND",
        "LEADER_GOES_ON_WITHOUT_THE_WITNESS",
        "REPEATED_PROPOSAL_NOT_DROPPED",
        "CHECKPOINT_FORGETS_ORIGINS",
        "REPLY_FROM_A_LATER_STATE"
      })
  void plantedFaultIsFound(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                new GroupSimulation(seed, fault).run();
              }
            })
        .hasRootCauseInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
