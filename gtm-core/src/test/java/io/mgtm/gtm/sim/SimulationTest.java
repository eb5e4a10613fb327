package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.QuietLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs many schedules ({@code -Dschedules=N}), or one again ({@code -Dseed=S -Dtrace=true}); a
 * failure prints that command.
 */
class SimulationTest {
  private static final int SCHEDULES_DEFAULT = 150;
  private static final int SCHEDULES_UNTIL_FOUND = 150;

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm");

  private static Simulation.Outcome run(long seed, Fault fault) {
    return new Simulation(seed, Scenario.of(seed, fault)).run();
  }

  @Test
  void noScheduleBreaksAPromise() {
    long first = Long.getLong("seed", 0);
    long count =
        Long.getLong("seed") == null ? Integer.getInteger("schedules", SCHEDULES_DEFAULT) : 1;
    long answers = 0;
    for (long seed = first; seed < first + count; seed++) {
      answers += run(seed, Fault.NONE).answers();
    }
    assertThat(answers).as("answers to clients").isGreaterThan(count * 50);
  }

  @Test
  void sameSeedGivesTheSameSchedule() {
    for (long seed = 0; seed < 5; seed++) {
      assertThat(run(seed, Fault.NONE)).isEqualTo(run(seed, Fault.NONE));
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "READ_WITHOUT_CONFIRMATION"})
  void plantedFaultIsFound(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                run(seed, fault);
              }
            })
        .isInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
