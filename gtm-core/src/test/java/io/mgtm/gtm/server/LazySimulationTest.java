package io.mgtm.gtm.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.mgtm.gtm.QuietLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Leaders of mode lazy die with replies that rest on nothing. */
class LazySimulationTest {
  private static final int SCHEDULES = Integer.getInteger("schedules", 400);
  private static final int SCHEDULES_TO_CATCH = 200;

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm.gtm");

  @Test
  void nothingThatAClientHasSeenIsLostOrContradicted() {
    int first = Integer.getInteger("seed", 0);
    int last = Integer.getInteger("seed", SCHEDULES - 1);
    for (long seed = first; seed <= last; seed++) {
      try {
        new LazySimulation(seed, LazySimFault.NONE).run();
      } catch (RuntimeException e) {
        fail("seed " + seed + ": " + e, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsCaught(LazySimFault fault) {
    String found = "";
    for (long seed = 0; seed < SCHEDULES_TO_CATCH && found.isEmpty(); seed++) {
      try {
        new LazySimulation(seed, fault).run();
      } catch (LazySimViolation e) {
        found = "seed " + seed + ": " + e.getMessage();
      }
    }
    assertThat(found).as("%s in %d schedules", fault, SCHEDULES_TO_CATCH).isNotEmpty();
    System.out.println(fault + " found: " + found);
  }
}
