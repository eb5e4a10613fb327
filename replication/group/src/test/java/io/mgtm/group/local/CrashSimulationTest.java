package io.mgtm.group.local;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.mgtm.group.storage.SimulatedDisk;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class CrashSimulationTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.mgtm.group");

  @BeforeAll
  static void beQuiet() {
    LOGGER.setLevel(Level.OFF);
  }

  @AfterAll
  static void beLoudAgain() {
    LOGGER.setLevel(null);
  }

  @Test
  void noScheduleOfDeathsBreaksAPromise() {
    Seeds.forEach(4_000, seed -> new CrashSimulation(seed).run());
  }

  @ParameterizedTest
  @EnumSource(SimulatedDisk.Fault.class)
  void aPlantedFaultIsCaught(SimulatedDisk.Fault fault) {
    int seeds = 2_000;
    for (long seed = 1; seed <= seeds; seed++) {
      CrashSimulation simulation = new CrashSimulation(seed);
      simulation.plant(fault);
      try {
        simulation.run();
      } catch (CrashSimulation.Violation caught) {
        System.out.println(fault + " is caught by seed " + seed + ": " + caught.getMessage());
        return;
      }
    }
    assertThat(fault).as("a fault that %d seeds did not catch", seeds).isNull();
  }
}
