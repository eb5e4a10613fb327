package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.mgtm.group.storage.QuietLog;
import io.mgtm.group.storage.Seeds;
import io.mgtm.group.storage.SimulatedDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(QuietLog.class)
class LoneCrashSimulationTest {
  @Test
  void noScheduleOfDeathsBreaksAPromise() {
    LoneCrashCoverage coverage = new LoneCrashCoverage();
    Seeds.forEach(1_000, seed -> new LoneCrashSimulation(seed, coverage).run());
    if (Seeds.isMany()) {
      assertThat(coverage)
          .as("every kind of event has happened")
          .matches(c -> c.processDeaths > 0 && c.powerLosses > 0 && c.cleanStops > 0)
          .matches(c -> c.tailsCut > 0 && c.checkpoints > 0 && c.segmentsDropped > 0)
          .matches(c -> c.forcesFailed > 0 && c.roomRefused > 0)
          .matches(c -> c.entriesGoneInTheSameBoot > 0);
    }
  }

  @ParameterizedTest
  @EnumSource(SimulatedDisk.Fault.class)
  void aPlantedFaultIsCaught(SimulatedDisk.Fault fault) {
    int seeds = 2_000;
    for (long seed = 1; seed <= seeds; seed++) {
      LoneCrashSimulation simulation = new LoneCrashSimulation(seed, new LoneCrashCoverage());
      simulation.plant(fault);
      try {
        simulation.run();
      } catch (LoneCrashSimulation.Violation caught) {
        System.out.println(fault + " is caught by seed " + seed + ": " + caught.getMessage());
        return;
      }
    }
    fail("%d seeds did not catch the fault %s", seeds, fault);
  }
}
