package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.QuietLog;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs many schedules ({@code -Dschedules=N}, {@code -Dmode=M}), or one again ({@code -Dmode=M
 * -Dfault=F -Dseed=S -Dtrace=true}); a failure prints that command.
 */
class SimulationTest {
  private static final int SCHEDULES_UNTIL_FOUND = 150;

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm");

  private static Simulation.Outcome run(GroupMode mode, long seed, Fault fault) {
    return new Simulation(seed, Scenario.of(mode, seed, fault)).run();
  }

  @ParameterizedTest
  @CsvSource({"FIFO, 60", "LAZY, 30", "TOTAL, 25"})
  void noScheduleBreaksAPromise(GroupMode mode, int schedules) {
    assumeTrue(mode == GroupMode.of(System.getProperty("mode", mode.label())), "of another mode");
    long first = Long.getLong("seed", 0);
    long count = Long.getLong("seed") == null ? Integer.getInteger("schedules", schedules) : 1;
    Fault fault = Fault.valueOf(System.getProperty("fault", Fault.NONE.name()));
    long answers = 0;
    for (long seed = first; seed < first + count; seed++) {
      answers += run(mode, seed, fault).answers();
    }
    assertThat(answers).as("answers to clients").isGreaterThan(count * 50);
  }

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY", "TOTAL"})
  void sameSeedGivesTheSameSchedule(GroupMode mode) {
    for (long seed = 2; seed < 4; seed++) {
      assertThat(run(mode, seed, Fault.NONE)).isEqualTo(run(mode, seed, Fault.NONE));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FIFO, ACKNOWLEDGE_BEFORE_MAJORITY",
    "FIFO, SEND_BEFORE_PERSIST",
    "FIFO, VOTE_NOT_PERSISTED",
    "FIFO, STALE_INTRODUCTION",
    "FIFO, POWER_CUT_NOT_NOTICED",
    "FIFO, CHECKPOINT_FORGETS_SESSIONS",
    "FIFO, READ_WITHOUT_CONFIRMATION",
    "FIFO, FORGET_REPLAY",
    "FIFO, REPLAY_BACKWARDS",
    "FIFO, REPLAY_ANSWERED",
    "FIFO, REOPEN_LOST_SESSION",
    "LAZY, LAZY_WITHOUT_FENCE",
    "LAZY, NO_WAIT_FOR_FRONTS",
    "LAZY, OTHER_ORDER",
    "LAZY, NO_SKIP",
    "LAZY, FORGET_AT_REPLY",
    "LAZY, OWN_FRONT_AT_ONCE",
    "FIFO, WITNESS_ACKNOWLEDGES_BEFORE_STORING",
    "FIFO, WITNESS_VOTES_FOR_A_LOG_BEHIND",
    "FIFO, LEADER_GOES_ON_WITHOUT_THE_WITNESS",
    "LAZY, WITNESS_ACKNOWLEDGES_BEFORE_STORING",
    "LAZY, WITNESS_VOTES_FOR_A_LOG_BEHIND",
    "LAZY, LEADER_GOES_ON_WITHOUT_THE_WITNESS",
    "LAZY, LEADER_GOES_ON_AFTER_ITS_LEASE",
    "FIFO, REQUIRED_ACKNOWLEDGED_BEFORE_FORCE",
    "FIFO, AHEAD_TAKEN_FOR_BUFFERED",
    "FIFO, FOREIGN_DURABILITY",
    "FIFO, FAILED_SYNC_FORGOTTEN",
    "FIFO, EMPTIED_FOLDER_KEEPS_ITS_IDENTITY",
    "FIFO, NO_LOG_MATCHING",
    "LAZY, RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP",
    "LAZY, SUCCESSOR_NOT_IN_STEP",
    "LAZY, LOSS_NOT_TOLD",
    "TOTAL, ACKNOWLEDGE_BEFORE_MAJORITY",
    "TOTAL, AHEAD_TAKEN_FOR_BUFFERED",
    "TOTAL, REPEATED_PROPOSAL_NOT_DROPPED",
    "TOTAL, CHECKPOINT_FORGETS_ORIGINS",
  })
  void plantedFaultIsFound(GroupMode mode, Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                run(mode, seed, fault);
              }
            })
        .isInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
