package io.mgtm.query.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever triggers write within one another, the other server has the leader's rows. */
class CaptureSimulationTest {
  private static final int RUNS = 300;
  private static final int STATEMENTS = 50;

  @ParameterizedTest
  @EnumSource(CaptureSimulation.Fault.class)
  void whatIsDoneWrongIsFoundAndNothingElse(CaptureSimulation.Fault fault) {
    long first = Long.getLong("seed", 1);
    int failed = 0;
    for (long seed = first; seed < first + RUNS; seed++) {
      try {
        new CaptureSimulation(seed, fault).run(STATEMENTS);
      } catch (AssertionError e) {
        if (fault == CaptureSimulation.Fault.NONE) {
          throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        failed++;
      }
    }
    if (fault != CaptureSimulation.Fault.NONE) {
      assertThat(failed).as("runs in which %s was found", fault).isPositive();
    }
  }
}
