package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.fleet.SnapshotGate.Kind;
import io.mgtm.query.fleet.SnapshotGate.Pass;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Both kinds take turns, and neither waits for ever. */
class SnapshotGateTest {
  private static final int PASSAGES = 10_000;

  private final SnapshotGate gate = new SnapshotGate();
  private final List<String> came = new ArrayList<>();

  private Pass pass(Kind kind, String name) {
    return new Pass(kind, () -> came.add(name));
  }

  /** One that is let in at once. */
  private Pass inside(Kind kind) {
    Pass pass = pass(kind, "");
    assertThat(gate.enter(pass)).isTrue();
    return pass;
  }

  private Pass waiting(Kind kind, String name) {
    Pass pass = pass(kind, name);
    assertThat(gate.enter(pass)).isFalse();
    return pass;
  }

  @Test
  void thoseOfOneKindAreInsideTogether() {
    for (Kind kind : Kind.values()) {
      Pass one = inside(kind);
      Pass other = inside(kind);
      assertThat(gate.leave(one)).isTrue();
      assertThat(gate.leave(other)).isTrue();
    }
    assertThat(came).isEmpty();
  }

  @Test
  void theOtherKindIsLetInWhenAllHaveLeft() {
    Pass one = inside(Kind.COMMIT);
    Pass other = inside(Kind.COMMIT);
    waiting(Kind.SNAPSHOT, "a");
    waiting(Kind.SNAPSHOT, "b");
    gate.leave(one);
    assertThat(came).isEmpty();
    gate.leave(other);
    assertThat(came).containsExactly("a", "b");
  }

  @Test
  void whoComesAfterOneThatWaitsDoesNotPassIt() {
    Pass first = inside(Kind.COMMIT);
    Pass snapshot = waiting(Kind.SNAPSHOT, "snapshot");
    Pass commit = waiting(Kind.COMMIT, "commit");
    gate.leave(first);
    assertThat(came).containsExactly("snapshot");
    waiting(Kind.SNAPSHOT, "next");
    gate.leave(snapshot);
    assertThat(came).containsExactly("snapshot", "commit");
    gate.leave(commit);
    assertThat(came).containsExactly("snapshot", "commit", "next");
  }

  @Test
  void whoWithdrawsKeepsNobodyOut() {
    Pass first = inside(Kind.COMMIT);
    Pass snapshot = waiting(Kind.SNAPSHOT, "withdrawn");
    Pass commit = waiting(Kind.COMMIT, "commit");
    assertThat(gate.withdraw(snapshot)).isTrue();
    assertThat(gate.withdraw(snapshot)).isFalse();
    Pass second = inside(Kind.COMMIT);
    gate.leave(first);
    gate.leave(second);
    assertThat(came).containsExactly("commit");
    gate.leave(commit);
    inside(Kind.SNAPSHOT);
  }

  /** What its server answers then is not of a moment between commits. */
  @Test
  void whoStaysForTooLongIsShownOut() {
    Pass quick = inside(Kind.SNAPSHOT);
    Pass stuck = inside(Kind.SNAPSHOT);
    long turn = gate.turn();
    Pass commit = waiting(Kind.COMMIT, "commit");
    assertThat(gate.leave(quick)).isTrue();
    assertThat(gate.expire(turn - 1)).isZero();
    assertThat(came).isEmpty();
    assertThat(gate.expire(turn)).isOne();
    assertThat(came).containsExactly("commit");
    assertThat(gate.expire(gate.turn())).as("commits").isZero();
    Pass next = waiting(Kind.SNAPSHOT, "next");
    assertThat(gate.leave(stuck)).isFalse();
    assertThat(came).containsExactly("commit");
    gate.leave(commit);
    assertThat(came).containsExactly("commit", "next");
    assertThat(gate.leave(stuck)).isFalse();
    assertThat(gate.leave(next)).isTrue();
  }

  /** One that is inside may wait for them at a server. */
  @Test
  void commitsAreLetInToATurnThatLasts() {
    Pass stuck = inside(Kind.COMMIT);
    waiting(Kind.SNAPSHOT, "snapshot");
    Pass commit = waiting(Kind.COMMIT, "commit");
    assertThat(gate.expire(gate.turn() - 1)).isZero();
    assertThat(came).isEmpty();
    assertThat(gate.expire(gate.turn())).isZero();
    assertThat(came).containsExactly("commit");
    waiting(Kind.COMMIT, "next");
    assertThat(gate.leave(commit)).isTrue();
    assertThat(came).containsExactly("commit");
    assertThat(gate.leave(stuck)).isTrue();
    assertThat(came).containsExactly("commit", "snapshot");
  }

  /** In any order of what comes, goes, withdraws and is shown out. */
  @Test
  void bothKindsAreNeverInsideAndAllThatComeAreLetIn() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    List<Pass> waiting = new ArrayList<>();
    List<Pass> commits = new ArrayList<>();
    List<Pass> snapshots = new ArrayList<>();
    List<Pass> shownOut = new ArrayList<>();
    for (int i = 0; i < PASSAGES || !commits.isEmpty() || !snapshots.isEmpty(); i++) {
      int what = i < PASSAGES ? random.nextInt(6) : 5;
      List<Pass> inside = commits.isEmpty() ? snapshots : commits;
      if (what < 2) {
        boolean commit = random.nextBoolean();
        List<Pass> kind = commit ? commits : snapshots;
        Pass[] pass = new Pass[1];
        pass[0] =
            new Pass(
                commit ? Kind.COMMIT : Kind.SNAPSHOT,
                () -> {
                  waiting.remove(pass[0]);
                  kind.add(pass[0]);
                });
        (gate.enter(pass[0]) ? kind : waiting).add(pass[0]);
      } else if (what == 2 && !waiting.isEmpty()) {
        Pass one = waiting.remove(random.nextInt(waiting.size()));
        assertThat(gate.withdraw(one)).as("seed %d", seed).isTrue();
      } else if (what == 3) {
        shownOut.addAll(snapshots);
        snapshots.clear();
        gate.expire(gate.turn());
      } else if (what == 4 && !shownOut.isEmpty()) {
        Pass one = shownOut.remove(random.nextInt(shownOut.size()));
        assertThat(gate.leave(one)).as("seed %d", seed).isFalse();
      } else if (!inside.isEmpty()) {
        Pass one = inside.remove(random.nextInt(inside.size()));
        assertThat(gate.leave(one)).as("seed %d", seed).isTrue();
      }
      assertThat(commits.isEmpty() || snapshots.isEmpty()).as("seed %d", seed).isTrue();
      assertThat(commits.isEmpty() && snapshots.isEmpty() && !waiting.isEmpty())
          .as("seed %d", seed)
          .isFalse();
    }
    assertThat(waiting).isEmpty();
  }
}
