package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.QuietLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs many schedules ({@code -Dschedules=N}, {@code -Dmode=M}, from {@code -Dseed=S} on), or one
 * again ({@code -Dmode=M -Dfault=F -Dseed=S -Dtrace=true}); a failure prints that command.
 */
class SimulationTest {
  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm");

  /** Which schedules are run. */
  private record Seeds(long first, long count) {
    static Seeds of(int usual) {
      boolean all = Long.getLong("seed") == null;
      return new Seeds(Long.getLong("seed", 0), Long.getLong("schedules", all ? usual : 1));
    }

    long end() {
      return first + count;
    }
  }

  static Simulation.Outcome run(GroupMode mode, long seed, Fault fault) {
    return new Simulation(seed, Scenario.of(mode, seed, fault)).run();
  }

  @ParameterizedTest
  @CsvSource({"FIFO, 30", "LAZY, 20", "TOTAL, 15"})
  void noScheduleBreaksAPromise(GroupMode mode, int schedules) {
    runAll(mode, schedules);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"FIFO, 600", "LAZY, 300", "TOTAL, 1500"})
  void noneOfManySchedulesDoes(GroupMode mode, int schedules) {
    runAll(mode, schedules);
  }

  private static void runAll(GroupMode mode, int schedules) {
    assumeTrue(mode == GroupMode.of(System.getProperty("mode", mode.label())), "of another mode");
    Seeds seeds = Seeds.of(schedules);
    Fault fault = Fault.valueOf(System.getProperty("fault", Fault.NONE.name()));
    long answers = 0;
    for (long seed = seeds.first(); seed < seeds.end(); seed++) {
      answers += run(mode, seed, fault).answers();
    }
    assertThat(answers).as("answers to clients").isGreaterThan(seeds.count() * 50);
  }

  /** A pair on two machines whose witness is a disk that both reach. */
  @Test
  void norBesideAQuorumDisk() {
    besideAQuorumDisk(15);
  }

  @Test
  @Tag("long")
  void norBesideAQuorumDiskInManySchedules() {
    besideAQuorumDisk(500);
  }

  private static void besideAQuorumDisk(int schedules) {
    Seeds seeds = Seeds.of(schedules);
    Fault fault = Fault.valueOf(System.getProperty("fault", Fault.NONE.name()));
    long answers = 0;
    for (long seed = seeds.first(); seed < seeds.end(); seed++) {
      answers += new Simulation(seed, Scenario.ofQuorumDisk(seed, fault)).run().answers();
    }
    assertThat(answers).as("answers to clients").isGreaterThan(seeds.count() * 50);
  }

  /**
   * And the group goes on after any loss but that of a majority's disks. In mode lazy an operator
   * vouches that those are dead who are not waited for; so it is no such loss when they come back.
   */
  @ParameterizedTest
  @CsvSource({"FIFO, 8", "TOTAL, 6"})
  void norWhenAnOperatorAcceptsALoss(GroupMode mode, int schedules) {
    acceptLosses(mode, schedules);
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"FIFO, 120", "TOTAL, 80"})
  void norWhenAnOperatorAcceptsOneInManySchedules(GroupMode mode, int schedules) {
    acceptLosses(mode, schedules);
  }

  private static void acceptLosses(GroupMode mode, int schedules) {
    assumeTrue(mode == GroupMode.of(System.getProperty("mode", mode.label())), "of another mode");
    Seeds seeds = Seeds.of(schedules);
    Fault fault = Fault.valueOf(System.getProperty("fault", Fault.NONE.name()));
    int losses = 0;
    for (long seed = seeds.first(); seed < seeds.end(); seed++) {
      Scenario scenario = Scenario.ofAcceptedLoss(mode, seed, fault);
      losses += new Simulation(seed, scenario).run().losses();
    }
    assertThat(losses).as("losses that were accepted").isGreaterThan(seeds.count() > 1 ? 0 : -1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY", "TOTAL"})
  void sameSeedGivesTheSameSchedule(GroupMode mode) {
    assertThat(run(mode, 2, Fault.NONE)).isEqualTo(run(mode, 2, Fault.NONE));
  }
}
