package io.mgtm.gtm.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class FrontSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("schedules", 1_000);
  private static final int SCHEDULES_TO_CATCH = 200;

  private static Level before;

  @BeforeAll
  static void quiet() {
    before = log().getLevel();
    log().setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    log().setLevel(before);
  }

  private static Logger log() {
    return (Logger) LoggerFactory.getLogger("io.mgtm.gtm.front");
  }

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
