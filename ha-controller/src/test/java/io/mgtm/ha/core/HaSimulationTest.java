package io.mgtm.ha.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whole clusters on virtual time: machines, controllers and networks fail, stand still and come
 * back, kits fail, hang and lie, operators ask. Never two nodes have a hierarchy in service,
 * nothing is in service without a lease, no acknowledged command is lost, and no acknowledged write
 * but where an operator accepts that; and when the faults end, all that is wanted comes in service.
 */
@Tag("simulation")
class HaSimulationTest {
  private static final int SCHEDULES = 6_000;
  private static final int SCHEDULES_LONG = 300_000;

  /** For the first that shows a planted fault. */
  private static final int SCHEDULES_SEARCHED = 20_000;

  private static final long SEED = Long.getLong("seed", 1);

  @Test
  void schedulesKeepWhatIsPromised() {
    run(SEED, Integer.getInteger("mgtm.haSchedules", SCHEDULES));
  }

  @Test
  @Tag("long")
  @Timeout(5_400)
  void manySchedulesKeepWhatIsPromised() {
    run(SEED + 1_000_000, SCHEDULES_LONG);
  }

  private static void run(long first, int count) {
    LongStream.range(first, first + count)
        .parallel()
        .forEach(
            seed -> {
              try {
                SimChaos.run(seed, Plant.NONE);
              } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
              }
            });
  }

  /** Two leaders that knew of different starts led a node to a number that it had used before. */
  @Test
  void aGrantOfAnEarlierIncarnationIsNotTakenForOneOfThis() {
    run(1_257_465, 1);
  }

  /** A mark that was on its way said that a node which had left was up to date. */
  @Test
  void aNodeThatHasLeftIsNotSaidToBeUpToDate() {
    run(1_284_933, 1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void plantedFaultsAreCaught(Plant plant) {
    assertThatThrownBy(() -> SimChaos.run(plant.seed, plant))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(plant.caught);
  }

  /** When the simulation has changed, the seeds of {@link Plant} come from here. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @Tag("long")
  void plantedFaultsAreCaughtFromAnySeed(Plant plant) {
    String caught = "";
    for (long seed = SEED; caught.isEmpty() && seed < SEED + SCHEDULES_SEARCHED; seed++) {
      try {
        SimChaos.run(seed, plant);
      } catch (AssertionError e) {
        caught = e.getMessage().contains(plant.caught) ? e.getMessage() : "";
      }
    }
    System.out.println(plant + ": " + caught);
    assertThat(caught).as("%s, from seed %d", plant, SEED).isNotEmpty();
  }
}
