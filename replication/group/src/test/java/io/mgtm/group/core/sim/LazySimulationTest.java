package io.mgtm.group.core.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.core.Agreement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mode lazy: crashes of leaders and others at any time, of all at once, power cuts of one at a
 * time, and processes that stand still while the others go on; no partitions. Acknowledged entries
 * may be lost with a leader, and only those that did not ask for more than to be buffered; the
 * state machine must be told, and no number comes twice.
 */
class LazySimulationTest {
  private static final int SCHEDULES_DEFAULT = 4_000;
  private static final int SCHEDULES_UNTIL_FOUND = 6_000;

  private static GroupSimulation.Outcome run(long seed, Fault fault) {
    return new GroupSimulation(seed, fault, Agreement.CONNECTED).run();
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
        "CHECKPOINT_FORGETS_SESSIONS",
        "AHEAD_TAKEN_FOR_BUFFERED",
        "RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP",
        "SUCCESSOR_NOT_IN_STEP",
        "LAZY_WITHOUT_FENCE",
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
