package io.mgtm.gtm.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.QuietLog;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each fault that is planted in the parts is found by one of the first schedules. */
class PlantedFaultTest {
  private static final int SCHEDULES_UNTIL_FOUND = 150;

  /** Shortly before the first schedules that show the faults which take longest to find. */
  private static final Map<String, Long> RARE_SEEDS =
      Map.of(
          "LAZY NO_SKIP", 92L,
          "LAZY WITNESS_ACKNOWLEDGES_BEFORE_STORING", 63L,
          "FIFO REQUIRED_ACKNOWLEDGED_BEFORE_FORCE", 226L,
          "FIFO FAILED_SYNC_FORGOTTEN", 37L,
          "FIFO DAMAGE_NOT_NOTICED", 36L,
          "FIFO NO_LOG_MATCHING", 37L,
          "FIFO AHEAD_TAKEN_FOR_BUFFERED", 28L,
          "FIFO ACCEPTED_LOSS_TAKES_ANY_LOG", 17L,
          "LAZY LEADER_GOES_ON_WITHOUT_THE_WITNESS", 10L);

  @RegisterExtension static final QuietLog QUIET = new QuietLog("io.mgtm");

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
    "FIFO, WITNESS_VOTES_AT_ITS_START",
    "FIFO, LEADER_GOES_ON_WITHOUT_THE_WITNESS",
    "LAZY, WITNESS_ACKNOWLEDGES_BEFORE_STORING",
    "LAZY, WITNESS_VOTES_FOR_A_LOG_BEHIND",
    "LAZY, LEADER_GOES_ON_WITHOUT_THE_WITNESS",
    "LAZY, LEADER_GOES_ON_AFTER_ITS_LEASE",
    "LAZY, WITNESS_GIVEN_UP_BY_ONE",
    "LAZY, WITNESS_THAT_LEARNS_BINDS_NOBODY",
    "FIFO, REQUIRED_ACKNOWLEDGED_BEFORE_FORCE",
    "FIFO, AHEAD_TAKEN_FOR_BUFFERED",
    "FIFO, FOREIGN_DURABILITY",
    "FIFO, FAILED_SYNC_FORGOTTEN",
    "FIFO, DAMAGE_NOT_NOTICED",
    "FIFO, EMPTIED_FOLDER_KEEPS_ITS_IDENTITY",
    "FIFO, OLDER_COPY_NOT_TOLD",
    "FIFO, NO_LOG_MATCHING",
    "LAZY, RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP",
    "LAZY, SUCCESSOR_NOT_IN_STEP",
    "LAZY, LOSS_NOT_TOLD",
    "FIFO, ACCEPTED_LOSS_NOT_TOLD",
    "FIFO, ACCEPTED_LOSS_TAKES_ANY_LOG",
    "TOTAL, ACKNOWLEDGE_BEFORE_MAJORITY",
    "TOTAL, AHEAD_TAKEN_FOR_BUFFERED",
    "TOTAL, REPEATED_PROPOSAL_NOT_DROPPED",
    "TOTAL, CHECKPOINT_FORGETS_ORIGINS",
  })
  void plantedFaultIsFound(GroupMode mode, Fault fault) {
    assertThatThrownBy(
            () -> {
              long first = RARE_SEEDS.getOrDefault(mode + " " + fault, 0L);
              for (long seed = first; seed < first + SCHEDULES_UNTIL_FOUND; seed++) {
                SimulationTest.run(mode, seed, fault);
              }
            })
        .isInstanceOf(Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}
