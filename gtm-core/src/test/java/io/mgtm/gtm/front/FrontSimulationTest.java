package io.mgtm.gtm.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.mgtm.gtm.QuietLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrontSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("schedules", 1_000);
  private static final int SCHEDULES_TO_CATCH = 200;

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm.gtm.front");

  @Test
  void everyCommandIsAnsweredOnceAndExecutedOnceInOrder() {
    for (long seed = 0; seed < SCHEDULES; seed++) {
      try {
        new FrontSimulation(seed, SimFault.NONE).run();
      } catch (RuntimeException e) {
        fail("seed " + seed + ": " + e, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsCaught(SimFault fault) {
    int caught = 0;
    for (long seed = 0; seed < SCHEDULES_TO_CATCH && caught == 0; seed++) {
      try {
        new FrontSimulation(seed, fault).run();
      } catch (SimViolation e) {
        caught++;
      }
    }
    assertThat(caught)
        .as("schedules of %s that noticed %s", SCHEDULES_TO_CATCH, fault)
        .isPositive();
  }
}
