package io.mgtm.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.check.Anomaly.Kind;
import io.mgtm.query.check.SimulatedDatabase.Fault;
import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Isolation;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Long histories. */
class ListAppendCheckerTest {
  private static final int TRANSACTIONS = 10_000;
  private static final int RUNS = Integer.getInteger("mgtm.runs", 5);

  @ParameterizedTest
  @EnumSource(Fault.class)
  void whatIsDoneWrongIsFoundAndNothingElse(Fault fault) {
    long seed = Long.getLong("seed", 1);
    boolean ofSnapshots = fault.isOfSnapshots();
    List<Anomaly> found = new SimulatedDatabase(seed, fault, ofSnapshots).check(TRANSACTIONS);

    List<Anomaly> forbidden = found.stream().filter(Anomaly::forbidden).toList();
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    forbidden.forEach(one -> kinds.add(one.kind()));
    String seeded = "seed " + seed;
    switch (fault) {
      case NONE -> assertThat(forbidden).as(seeded).isEmpty();
      case READ_WHAT_IS_NOT_COMMITTED -> assertThat(kinds).as(seeded).contains(Kind.G1A);
      case READ_WITHOUT_SNAPSHOT -> assertThat(kinds).as(seeded).contains(Kind.G_SINGLE);
      case OVERWRITE_WHAT_THE_SNAPSHOT_LACKS ->
          assertThat(kinds).as(seeded).contains(Kind.G_SINGLE);
      case FORGET -> assertThat(kinds).as(seeded).contains(Kind.LOST_APPEND);
      case REPEAT -> assertThat(kinds).as(seeded).contains(Kind.DUPLICATE_APPEND);
      case COMMIT_BY_HALF -> assertThat(kinds).as(seeded).contains(Kind.G_SINGLE);
      case TAKE_SNAPSHOTS_AMID_COMMITS,
          LET_SNAPSHOTS_IN_BEFORE_THE_LEADER_HAS_IT,
          USE_A_SNAPSHOT_THAT_WAS_TAKEN_TOO_LATE ->
          assertThat(kinds).as(seeded).contains(Kind.STALE_READ);
      case ACKNOWLEDGE_BEFORE_ALL_HAVE_IT -> assertThat(kinds).as(seeded).contains(Kind.STALE_READ);
      default -> throw new AssertionError(fault);
    }
  }

  /** What PostgreSQL and the replicator permit does happen in such histories. */
  @Test
  void whatIsPermittedIsToldToo() {
    long seed = Long.getLong("seed", 1);
    assertThat(new SimulatedDatabase(seed, Fault.NONE, false).check(TRANSACTIONS))
        .as("seed " + seed)
        .extracting(Anomaly::kind)
        .contains(Kind.G_SINGLE, Kind.G2);
  }

  @Test
  void readsOfSnapshotsAreAsOfOneServer() {
    long seed = Long.getLong("seed", 1);
    for (int run = 0; run < RUNS; run++) {
      List<Anomaly> found = new SimulatedDatabase(seed + run, Fault.NONE, true).check(TRANSACTIONS);
      assertThat(found.stream().filter(Anomaly::forbidden)).as("seed " + (seed + run)).isEmpty();
    }
  }

  /** A cycle of all transactions, whose search would overflow a stack. */
  @Test
  void cycleThroughAllIsFound() {
    List<Transaction> history = new ArrayList<>();
    for (int i = 0; i < TRANSACTIONS; i++) {
      history.add(
          new Transaction(
              Isolation.READ_COMMITTED,
              false,
              Outcome.COMMITTED,
              2,
              List.of(
                  new Append("k" + i, i, 1),
                  new Read("k" + (i + 1) % TRANSACTIONS, List.of((i + 1) % TRANSACTIONS), 1))));
    }
    assertThat(ListAppendChecker.check(history, Map.of()))
        .extracting(Anomaly::kind)
        .containsExactly(Kind.G1C);
  }
}
