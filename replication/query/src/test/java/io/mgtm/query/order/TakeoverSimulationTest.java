package io.mgtm.query.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever leads and did before, all servers have what is in the log, once and in its order. */
class TakeoverSimulationTest {
  private static final int RUNS = Integer.getInteger("mgtm.runs", 400);
  private static final int STEPS = 1_500;

  @ParameterizedTest
  @EnumSource(TakeoverParts.Fault.class)
  void whatIsDoneWrongIsFoundAndNothingElse(TakeoverParts.Fault fault) {
    long first = Long.getLong("seed", 1);
    int failed = 0;
    for (long seed = first; seed < first + RUNS; seed++) {
      try {
        new TakeoverSimulation(seed, fault).run(STEPS);
      } catch (AssertionError | IllegalStateException e) {
        if (fault == TakeoverParts.Fault.NONE) {
          throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        failed++;
      }
    }
    if (fault != TakeoverParts.Fault.NONE) {
      assertThat(failed).as("runs in which %s was found", fault).isPositive();
    }
  }
}
