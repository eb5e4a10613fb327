package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.mgtm.group.storage.SimulatedDisk.Fault;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(QuietLog.class)
class LogStoreSimulationTest {
  /** A start that is repeated in the same boot is rare; it comes in this seed. */
  private static final long START_REPEATED = 159;

  @Test
  void whateverIsInterruptedTheLogIsAsBeforeOrAsAfter() {
    LogStoreSimulation.Coverage coverage = new LogStoreSimulation.Coverage();
    Seeds.forEach(1_500, seed -> new LogStoreSimulation(seed, coverage).run());
    if (Seeds.isMany()) {
      new LogStoreSimulation(START_REPEATED, coverage).run();
      assertThat(coverage)
          .as("every kind of event has happened")
          .matches(c -> c.truncated > 0 && c.truncationsInterrupted > 0)
          .matches(c -> c.restarted > 0 && c.restartsInterrupted > 0 && c.restartsRefused > 0)
          .matches(c -> c.dropped > 0 && c.tailsCut > 0 && c.forcesFailed > 0)
          .matches(c -> c.checkpointsWhereARestartWasRefused > 0)
          .matches(c -> c.entriesGoneInTheSameBoot > 0 && c.startsRepeated > 0)
          .matches(c -> c.damagedInTheSameBoot > 0);
    }
  }

  /**
   * The process died when a wipe had zeroed memory and not been synced; the next start took the
   * zeros for a finished wipe, and a loss of power brought back what had been removed.
   */
  @ParameterizedTest
  @ValueSource(
      longs = {
        18_544_134_296_222L, // in the place of a later entry
        18_544_134_203_039L, // behind the last entry
        18_544_134_243_823L, // as a proof that sound entries were missing
      })
  void whatAnUnforcedWipeRemovedDoesNotComeBack(long seed) {
    new LogStoreSimulation(seed, new LogStoreSimulation.Coverage()).run();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {
        "FORCE_NOTHING",
        "KEEP_STALE_TAIL",
        "DIRECTORY_NOT_FORCED",
        "KEEP_NOTES",
        "FAILURES_UNHEARD"
      })
  void aPlantedFaultIsCaught(Fault fault) {
    assertCaught(fault, simulation -> simulation.plant(fault));
  }

  /** Entries that are missing though the machine has not died are told of by that note alone. */
  @Test
  void aForgottenNoteOfWhatWasWrittenIsCaught() {
    assertCaught("a forgotten note", LogStoreSimulation::forgetWritten);
  }

  private static void assertCaught(Object fault, Consumer<LogStoreSimulation> plant) {
    int seeds = 1_000;
    for (long seed = 1; seed <= seeds; seed++) {
      LogStoreSimulation simulation =
          new LogStoreSimulation(seed, new LogStoreSimulation.Coverage());
      plant.accept(simulation);
      try {
        simulation.run();
      } catch (AssertionError caught) {
        System.out.println(fault + " is caught by seed " + seed + ": " + caught.getMessage());
        return;
      }
    }
    fail("%d seeds did not catch the fault %s", seeds, fault);
  }
}
