package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.QuietLog;
import java.util.function.LongFunction;
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

    /** How many to count on: the usual ones are known, and others may have less of something. */
    long known(int usual) {
      return Math.max(first == 0 && count >= usual ? usual : 0, count / 5);
    }
  }

  static Simulation.Outcome run(GroupMode mode, long seed, Fault fault) {
    return new Simulation(seed, Scenario.of(mode, seed, fault)).run();
  }

  /** Schedules of a scenario for each seed; they must have seen what they are there for. */
  private static Tally runAll(int usual, LongFunction<Scenario> scenarios) {
    Seeds seeds = Seeds.of(usual);
    Tally seen = new Tally();
    long answers = 0;
    for (long seed = seeds.first(); seed < seeds.end(); seed++) {
      Simulation.Outcome outcome = new Simulation(seed, scenarios.apply(seed)).run();
      answers += outcome.answers();
      seen.add(outcome.tally());
    }
    assertThat(answers).as("answers to clients").isGreaterThan(seeds.count() * 50);
    if (fault() == Fault.NONE) {
      Scenario like = scenarios.apply(seeds.first());
      assertThat(seen.missing(like, seeds.known(usual)))
          .as("what %s have never seen: %s", seeds, seen)
          .isEmpty();
    }
    return seen;
  }

  private static Fault fault() {
    return Fault.valueOf(System.getProperty("fault", Fault.NONE.name()));
  }

  private static void assumeMode(GroupMode mode) {
    assumeTrue(mode == GroupMode.of(System.getProperty("mode", mode.label())), "of another mode");
  }

  @ParameterizedTest
  @CsvSource({"FIFO, 60", "LAZY, 20", "TOTAL, 15"})
  void noScheduleBreaksAPromise(GroupMode mode, int schedules) {
    assumeMode(mode);
    runAll(schedules, seed -> Scenario.of(mode, seed, fault()));
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"FIFO, 600", "LAZY, 300", "TOTAL, 1500"})
  void noneOfManySchedulesDoes(GroupMode mode, int schedules) {
    assumeMode(mode);
    runAll(schedules, seed -> Scenario.of(mode, seed, fault()));
  }

  /** A node without a group, or a group of one. */
  @Test
  void norAlone() {
    runAll(15, seed -> Scenario.ofOne(seed, fault()));
  }

  @Test
  @Tag("long")
  void norAloneInManySchedules() {
    runAll(600, seed -> Scenario.ofOne(seed, fault()));
  }

  /** A pair on two machines whose witness is a disk that both reach. */
  @Test
  void norBesideAQuorumDisk() {
    runAll(30, seed -> Scenario.ofQuorumDisk(seed, fault()));
  }

  @Test
  @Tag("long")
  void norBesideAQuorumDiskInManySchedules() {
    runAll(500, seed -> Scenario.ofQuorumDisk(seed, fault()));
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
    assumeMode(mode);
    Tally seen = runAll(schedules, seed -> Scenario.ofAcceptedLoss(mode, seed, fault()));
    assertThat(seen.count(Happening.ENTRIES_LOST))
        .as("losses that were accepted")
        .isGreaterThan(Seeds.of(schedules).count() > 1 ? 0 : -1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY", "TOTAL"})
  void sameSeedGivesTheSameSchedule(GroupMode mode) {
    assertThat(run(mode, 2, Fault.NONE)).isEqualTo(run(mode, 2, Fault.NONE));
  }
}
