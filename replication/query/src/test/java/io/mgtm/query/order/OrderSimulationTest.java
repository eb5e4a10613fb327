package io.mgtm.query.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever dies, all servers have what is in the log, once and in its order. */
class OrderSimulationTest {
  private static final int RUNS = 300;
  private static final int STEPS = 400;

  @ParameterizedTest
  @EnumSource(OrderSimulation.Fault.class)
  void whatIsDoneWrongIsFoundAndNothingElse(OrderSimulation.Fault fault) {
    long first = Long.getLong("seed", 1);
    int failed = 0;
    for (long seed = first; seed < first + RUNS; seed++) {
      try {
        new OrderSimulation(seed, fault).run(STEPS);
      } catch (AssertionError | IllegalStateException e) {
        if (fault == OrderSimulation.Fault.NONE) {
          throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        failed++;
      }
    }
    if (fault != OrderSimulation.Fault.NONE) {
      assertThat(failed).as("runs in which %s was found", fault).isPositive();
    }
  }
}
