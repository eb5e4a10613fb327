package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.QuietLog;
import java.util.function.LongFunction;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each fault that is planted in the parts is found by one of the first schedules, or by one of the
 * first from a seed on that stands beside it, where that takes long.
 */
class PlantedFaultTest {
  private static final int SCHEDULES_UNTIL_FOUND = 150;

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm");

  @ParameterizedTest
  @CsvSource({
    "FIFO, ACKNOWLEDGE_BEFORE_MAJORITY, 3",
    "FIFO, SEND_BEFORE_PERSIST, 150",
    "FIFO, VOTE_NOT_PERSISTED, 0",
    "FIFO, STALE_INTRODUCTION, 42",
    "FIFO, POWER_CUT_NOT_NOTICED, 5",
    "FIFO, CHECKPOINT_FORGETS_SESSIONS, 3",
    "FIFO, READ_WITHOUT_CONFIRMATION, 14",
    "FIFO, QUERY_LEASE_ON_NO_PROMISE, 60",
    "FIFO, FORGET_REPLAY, 0",
    "FIFO, REPLAY_BACKWARDS, 0",
    "FIFO, REPLAY_ANSWERED, 0",
    "FIFO, REOPEN_LOST_SESSION, 0",
    "LAZY, LAZY_WITHOUT_FENCE, 0",
    "LAZY, NO_WAIT_FOR_FRONTS, 0",
    "LAZY, OTHER_ORDER, 0",
    "LAZY, NO_SKIP, 93",
    "LAZY, FORGET_AT_REPLY, 0",
    "LAZY, OWN_FRONT_AT_ONCE, 93",
    "FIFO, WITNESS_ACKNOWLEDGES_BEFORE_STORING, 80",
    "FIFO, WITNESS_VOTES_FOR_A_LOG_BEHIND, 0",
    "FIFO, WITNESS_VOTES_AT_ITS_START, 56",
    "FIFO, LEADER_GOES_ON_WITHOUT_THE_WITNESS, 28",
    "LAZY, WITNESS_ACKNOWLEDGES_BEFORE_STORING, 145",
    "LAZY, WITNESS_VOTES_FOR_A_LOG_BEHIND, 0",
    "LAZY, LEADER_GOES_ON_WITHOUT_THE_WITNESS, 116",
    "LAZY, LEADER_GOES_ON_AFTER_ITS_LEASE, 0",
    "LAZY, WITNESS_GIVEN_UP_BY_ONE, 11",
    "LAZY, WITNESS_THAT_LEARNS_BINDS_NOBODY, 0",
    "FIFO, QUORUM_DISK_ANSWERS_BEFORE_WRITING, 188",
    "FIFO, QUORUM_DISK_READS_FROM_A_CACHE, 240",
    "FIFO, QUORUM_DISK_WORDS_FORGOTTEN, 270",
    "FIFO, REQUIRED_ACKNOWLEDGED_BEFORE_FORCE, 287",
    "FIFO, AHEAD_TAKEN_FOR_BUFFERED, 53",
    "FIFO, FOREIGN_DURABILITY, 9",
    "FIFO, FAILED_SYNC_FORGOTTEN, 110",
    "FIFO, DAMAGE_NOT_NOTICED, 46",
    "FIFO, EMPTIED_FOLDER_KEEPS_ITS_IDENTITY, 5",
    "FIFO, OLDER_COPY_NOT_TOLD, 5",
    "FIFO, NO_LOG_MATCHING, 74",
    "LAZY, RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP, 0",
    "LAZY, SUCCESSOR_NOT_IN_STEP, 6",
    "LAZY, LOSS_NOT_TOLD, 0",
    "FIFO, ACCEPTED_LOSS_NOT_TOLD, 5",
    "FIFO, ACCEPTED_LOSS_TAKES_ANY_LOG, 32",
    "TOTAL, ACKNOWLEDGE_BEFORE_MAJORITY, 0",
    "TOTAL, AHEAD_TAKEN_FOR_BUFFERED, 46",
    "TOTAL, REPEATED_PROPOSAL_NOT_DROPPED, 0",
    "TOTAL, CHECKPOINT_FORGETS_ORIGINS, 0",
  })
  void plantedFaultIsFound(GroupMode mode, Fault fault, long firstSeed) {
    assertIsFound(fault, firstSeed, seed -> Scenario.of(mode, seed, fault));
  }

  /** Where nobody else has a copy. */
  @ParameterizedTest
  @EnumSource(names = {"ACKNOWLEDGE_BEFORE_MAJORITY", "AHEAD_TAKEN_FOR_BUFFERED", "LOSS_NOT_TOLD"})
  void plantedFaultIsFoundAlone(Fault fault) {
    assertIsFound(fault, 0, seed -> Scenario.ofOne(seed, fault));
  }

  private static void assertIsFound(Fault fault, long first, LongFunction<Scenario> scenarios) {
    assertThatThrownBy(
            () -> {
              for (long seed = first; seed < first + SCHEDULES_UNTIL_FOUND; seed++) {
                new Simulation(seed, scenarios.apply(seed)).run();
              }
            })
        .isInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
