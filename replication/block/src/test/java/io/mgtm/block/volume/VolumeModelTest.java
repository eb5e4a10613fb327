package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Runs the core through many random schedules of writes, flushes, crashes with and without power,
 * lost paths, failing disks, promotions and operators' commands, and checks what a client may find.
 * A failure names its seed; run that seed alone with {@code -Dseed=N} to see its trace.
 */
class VolumeModelTest {
  private static final int STEPS = 700;

  /** Most schedules are short: many beginnings find more than few long stories. */
  private static final int SHORT_STEPS = 350;

  private static final int FAULTY_SCHEDULES_MAX = 10_000;

  /** Shortly before the first schedule that shows a fault, for those that show least often. */
  private static long firstSeed(ModelFault fault) {
    return switch (fault) {
      case GENERATION_NOT_SPREAD -> 9_570;
      case GENERATION_NOT_RENEWED -> 4_110;
      case FOLLOWERS_DO_NOT_WAIT_FOR_FLUSH -> 3_830;
      case BIT_CLEARED_BEFORE_TARGET_IS_DURABLE -> 1_485;
      case GOES_ON_BEFORE_IT_IS_WRITTEN -> 1_145;
      case FLUSH_MARK_IGNORED -> 985;
      case ACKNOWLEDGED_IN_BACKLOG -> 660;
      case BITMAP_KEEPS_ITS_SIZE -> 480;
      case OLD_PRIMARY_SERVES_ON -> 380;
      case DAMAGED_STATE_TAKEN_FROM_SPARE -> 5_360;
      case OPENINGS_NOT_COMPARED -> 1_700;
      case OPENING_OF_BITMAP_NOT_LOOKED_AT -> 2_225;
      default -> 0;
    };
  }

  private static int stepsOf(long seed) {
    return seed % 4 == 0 ? STEPS : SHORT_STEPS;
  }

  private static void run(long seed, int steps, ModelFault fault, boolean tracing) {
    ModelWorld world = new ModelWorld(seed, fault, tracing);
    try {
      world.run(steps);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + world.trace(), e);
    }
  }

  @Test
  void everyScheduleKeepsWhatClientsWereTold() {
    Long only = Long.getLong("seed");
    if (only != null) {
      ModelFault fault = ModelFault.valueOf(System.getProperty("mgtm.modelFault", "NONE"));
      run(only, fault == ModelFault.NONE ? stepsOf(only) : STEPS, fault, true);
      return;
    }
    int schedules = Integer.getInteger("mgtm.modelSchedules", 3_000);
    for (long seed = 0; seed < schedules; seed++) {
      run(seed, stepsOf(seed), ModelFault.NONE, false);
    }
  }

  /** A relay met a copy that was promoted by force, beside the primary that feeds the relay. */
  @Test
  void aScheduleThatOnceLeftAnOperatorWithoutAWayOut() {
    run(21_336, STEPS, ModelFault.NONE, true);
  }

  @ParameterizedTest
  @EnumSource(value = ModelFault.class, mode = Mode.EXCLUDE, names = "NONE")
  void plantedFaultIsCaught(ModelFault fault) {
    String caught = null;
    long first = firstSeed(fault);
    for (long seed = first; seed < first + FAULTY_SCHEDULES_MAX && caught == null; seed++) {
      try {
        run(seed, STEPS, fault, false);
      } catch (AssertionError e) {
        run(seed, STEPS, ModelFault.NONE, false);
        caught = e.getMessage().lines().findFirst().orElse("");
      }
    }
    assertThat(caught).as("the first violation under fault %s", fault).isNotNull();
    System.out.println(fault + ": " + caught);
  }
}
