package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.node.Witness;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No gxid and no sequence value twice, nothing lost that was acknowledged, whenever the process
 * dies or the power fails; and what breaks that is found.
 */
class CrashSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("schedules", 750);
  private static final int SCHEDULES_LONG = 10_000;
  private static final int SCHEDULES_UNTIL_FAULT_IS_FOUND = 500;

  private final RequestMetrics metrics = new RequestMetrics(new SimpleMeterRegistry());

  private void run(long seed, LossyLog.Fault logFault, CrashSchedule.Fault fault) {
    try {
      new CrashSchedule(seed, logFault, fault, metrics).run();
    } catch (RuntimeException | Error e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  @Test
  void nothingAcknowledgedIsLostOrGivenTwice() {
    for (long seed = 0; seed < SCHEDULES; seed++) {
      run(seed, LossyLog.Fault.NONE, CrashSchedule.Fault.NONE);
    }
  }

  @Test
  @Tag("long")
  void norIsItInManySchedules() {
    for (long seed = SCHEDULES; seed < SCHEDULES_LONG; seed++) {
      run(seed, LossyLog.Fault.NONE, CrashSchedule.Fault.NONE);
    }
  }

  private void isFound(LossyLog.Fault logFault, CrashSchedule.Fault fault) {
    Throwable found = null;
    for (long seed = 0; seed < SCHEDULES_UNTIL_FAULT_IS_FOUND && found == null; seed++) {
      try {
        new CrashSchedule(seed, logFault, fault, metrics).run();
      } catch (Witness.BrokenPromise e) {
        found = e;
      }
    }
    assertThat(found).as("%s %s", logFault, fault).isNotNull();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aLogThatBreaksItsPromisesIsFound(LossyLog.Fault fault) {
    isFound(fault, CrashSchedule.Fault.NONE);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aRestartThatBreaksItsPromisesIsFound(CrashSchedule.Fault fault) {
    isFound(LossyLog.Fault.NONE, fault);
  }
}
