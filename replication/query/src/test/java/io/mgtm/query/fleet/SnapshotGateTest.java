package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.fleet.SnapshotGate.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Both kinds take turns, and neither waits for ever. */
class SnapshotGateTest {
  private static final int PASSAGES = 10_000;

  private final SnapshotGate gate = new SnapshotGate();
  private final List<String> came = new ArrayList<>();

  private boolean comes(Kind kind, String name) {
    return gate.enter(kind, () -> came.add(name));
  }

  @Test
  void thoseOfOneKindAreInsideTogether() {
    for (Kind kind : Kind.values()) {
      assertThat(comes(kind, "")).isTrue();
      assertThat(comes(kind, "")).isTrue();
      gate.leave();
      gate.leave();
    }
    assertThat(came).isEmpty();
  }

  @Test
  void theOtherKindIsLetInWhenAllHaveLeft() {
    comes(Kind.COMMIT, "");
    comes(Kind.COMMIT, "");
    assertThat(comes(Kind.SNAPSHOT, "a")).isFalse();
    assertThat(comes(Kind.SNAPSHOT, "b")).isFalse();
    gate.leave();
    assertThat(came).isEmpty();
    gate.leave();
    assertThat(came).containsExactly("a", "b");
  }

  @Test
  void whoComesAfterOneThatWaitsDoesNotPassIt() {
    comes(Kind.COMMIT, "");
    comes(Kind.SNAPSHOT, "snapshot");
    assertThat(comes(Kind.COMMIT, "commit")).isFalse();
    gate.leave();
    assertThat(came).containsExactly("snapshot");
    assertThat(comes(Kind.SNAPSHOT, "next")).isFalse();
    gate.leave();
    assertThat(came).containsExactly("snapshot", "commit");
    gate.leave();
    assertThat(came).containsExactly("snapshot", "commit", "next");
  }

  @Test
  void whoWithdrawsKeepsNobodyOut() {
    Runnable waits = () -> came.add("withdrawn");
    comes(Kind.COMMIT, "");
    gate.enter(Kind.SNAPSHOT, waits);
    comes(Kind.COMMIT, "commit");
    assertThat(gate.withdraw(Kind.SNAPSHOT, waits)).isTrue();
    assertThat(gate.withdraw(Kind.SNAPSHOT, waits)).isFalse();
    assertThat(comes(Kind.COMMIT, "")).isTrue();
    gate.leave();
    gate.leave();
    assertThat(came).containsExactly("commit");
    gate.leave();
    assertThat(comes(Kind.SNAPSHOT, "")).isTrue();
  }

  /** In any order of what comes, goes and withdraws. */
  @Test
  void bothKindsAreNeverInsideAndAllThatComeAreLetIn() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    List<Kind> inside = new ArrayList<>();
    List<Runnable> waiting = new ArrayList<>();
    List<Kind> kinds = new ArrayList<>();
    for (int i = 0; i < PASSAGES || !inside.isEmpty(); i++) {
      Kind kind = random.nextBoolean() ? Kind.COMMIT : Kind.SNAPSHOT;
      int what = i < PASSAGES ? random.nextInt(5) : 4;
      if (what < 2) {
        Runnable[] later = new Runnable[1];
        later[0] =
            () -> {
              int at = waiting.indexOf(later[0]);
              waiting.remove(at);
              inside.add(kinds.remove(at));
            };
        if (gate.enter(kind, later[0])) {
          inside.add(kind);
        } else {
          waiting.add(later[0]);
          kinds.add(kind);
        }
      } else if (what == 2 && !waiting.isEmpty()) {
        int at = random.nextInt(waiting.size());
        assertThat(gate.withdraw(kinds.get(at), waiting.get(at))).isTrue();
        waiting.remove(at);
        kinds.remove(at);
      } else if (!inside.isEmpty()) {
        inside.remove(random.nextInt(inside.size()));
        gate.leave();
      }
      assertThat(inside.stream().distinct().count()).as("seed %d", seed).isLessThanOrEqualTo(1);
      assertThat(inside.isEmpty() && !waiting.isEmpty()).as("seed %d", seed).isFalse();
    }
    assertThat(waiting).isEmpty();
  }
}
