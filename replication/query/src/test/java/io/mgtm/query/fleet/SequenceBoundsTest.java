package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.fleet.SequenceBounds.Drawn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceBoundsTest {
  /** Some servers die, and some come in, before it is reached. */
  private static final long MAX = 150;

  private static final List<HostPort> PLACES =
      List.of(new HostPort("a", 1), new HostPort("b", 1), new HostPort("c", 1));

  /** What the model does wrong, so that it must be caught. */
  private enum Fault {
    NONE,
    /** A server comes in, and what is known of bounds stays. */
    BOUNDS_STAY,
    /** The next leader is drawn from while it may still be set. */
    LEADER_IS_SET,
    /** Values are given before the others are ahead. */
    NOT_COVERED,
    /** One that a client has set is set back to what the client saw, when others have drawn. */
    SET_BACK
  }

  /** Servers with a sequence each, which answer in any order, or break. */
  private static final class Model implements SequenceBounds.Servers {
    private final Random random;
    private final Fleet fleet = new Fleet(PLACES, null, node -> {});
    private final SequenceBounds bounds = new SequenceBounds(fleet, this);
    private final Map<Node, Long> at = new HashMap<>();
    private final List<Runnable> answers = new ArrayList<>();
    private final Set<Long> given = new HashSet<>();

    /** How often each came in. */
    private final Map<Node, Integer> lives = new HashMap<>();

    private final long max;
    private final Fault fault;
    private int set;

    Model(long seed, long max, Fault fault) {
      this.random = new Random(seed);
      this.max = max;
      this.fault = fault;
      fleet.nodes().forEach(node -> at.put(node, 0L));
      fleet.nodes().forEach(node -> lives.put(node, 0));
      fleet.set(node -> CompletableFuture.completedFuture(null), this::leaderOut);
    }

    /** Whoever waits for the next leader draws once this completes. */
    private CompletableFuture<Void> leaderOut() {
      return fault == Fault.LEADER_IS_SET
          ? CompletableFuture.completedFuture(null)
          : bounds.quiet();
    }

    private Drawn drawn(Node leader, long last, boolean sets) {
      return new Drawn(leader, "db", "s", "1.1", last, 1, 1, max, sets);
    }

    @Override
    public CompletableFuture<List<Drawn>> drawn(Node leader, String database, int pid) {
      return CompletableFuture.completedFuture(List.of(drawn(leader, at.get(leader), false)));
    }

    @Override
    public CompletableFuture<Long> last(Drawn drawn) {
      return CompletableFuture.completedFuture(
          fault == Fault.SET_BACK ? drawn.last() : at.get(drawn.leader()));
    }

    @Override
    public CompletableFuture<Void> set(Node node, Drawn drawn, long to) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      set++;
      answers.add(
          () -> {
            boolean behind = drawn.sets() || at.get(node) < to;
            answers.add(() -> set(node, behind ? to : at.get(node), done));
          });
      return done;
    }

    private void set(Node node, long to, CompletableFuture<Void> done) {
      at.put(node, to);
      if (random.nextInt(20) == 0) {
        done.completeExceptionally(new IllegalStateException("it broke"));
      } else {
        done.complete(null);
      }
    }

    /**
     * A transaction that draws a value, or sets it, and commits it once it is covered, if its
     * leader does.
     */
    private void draw() {
      Node leader = fleet.leader();
      if (!fleet.ready().isDone() || at.get(leader) == max) {
        return;
      }
      long value = at.merge(leader, 1L, Long::sum);
      Map<Node, Integer> sees = in();
      boolean sets = random.nextInt(16) == 0;
      answers.add(() -> cover(drawn(leader, value, sets), sees));
    }

    private void cover(Drawn drawn, Map<Node, Integer> sees) {
      CompletableFuture<Void> covered = bounds.cover(drawn);
      (fault == Fault.NOT_COVERED ? CompletableFuture.completedFuture(null) : covered)
          .thenRun(() -> answers.add(() -> commit(drawn.leader(), drawn.last(), sees)));
    }

    /** What does not see a server that has come in meanwhile is repeated. */
    private void commit(Node leader, long value, Map<Node, Integer> sees) {
      if (leader == fleet.leader() && sees.entrySet().containsAll(in().entrySet())) {
        assertThat(given.add(value)).as("%d is given once", value).isTrue();
      }
    }

    private Map<Node, Integer> in() {
      return fleet.in().stream().collect(Collectors.toMap(node -> node, lives::get));
    }

    /** As one comes in: nothing commits meanwhile. */
    private void comeIn() throws Exception {
      for (Node node : fleet.nodes()) {
        if (!node.isIn()) {
          at.put(node, drawn(fleet.leader(), at.get(fleet.leader()), true).ahead());
          lives.merge(node, 1, Integer::sum);
          fleet.admit(node);
          if (fault != Fault.BOUNDS_STAY) {
            bounds.cameIn();
          }
          return;
        }
      }
    }

    void run(int steps) throws Exception {
      for (int i = 0; i < steps; i++) {
        int what = random.nextInt(40);
        if (what < 10) {
          draw();
        } else if (what < 37 && !answers.isEmpty()) {
          answers.remove(random.nextInt(answers.size())).run();
        } else if (what == 38) {
          fleet.eject(fleet.leader(), "it broke");
        } else if (what == 39) {
          comeIn();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noValueIsGivenTwice(long seed) throws Exception {
    Model model = new Model(seed, Long.MAX_VALUE, Fault.NONE);
    model.run(20_000);
    assertThat(model.given).hasSizeGreaterThan(1_000);
    assertThat(model.set).isLessThan(model.given.size());
  }

  private static boolean isGivenTwice(long seed, Fault fault) {
    try {
      new Model(seed, MAX, fault).run(500);
      return false;
    } catch (AssertionError e) {
      return true;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Near the end of a sequence the others are set no further than it is. */
  @ParameterizedTest
  @EnumSource(Fault.class)
  void faultsAreCaughtAndNothingElse(Fault fault) {
    boolean caught = LongStream.range(0, 2_000).anyMatch(seed -> isGivenTwice(seed, fault));
    assertThat(caught).isEqualTo(fault != Fault.NONE);
  }

  private static Drawn drawn(long last, long increment, long min, long max) {
    return new Drawn(null, "db", "s", "1.1", last, increment, min, max, false);
  }

  @Test
  void othersAreSetAheadAsFarAsTheSequenceGoes() {
    assertThat(drawn(10, 1, 1, Long.MAX_VALUE).ahead()).isEqualTo(42);
    assertThat(drawn(10, 1, 1, 41).ahead()).isEqualTo(10);
    assertThat(drawn(-10, -5, Long.MIN_VALUE, -1).ahead()).isEqualTo(-170);
    assertThat(drawn(-10, -5, -100, -1).ahead()).isEqualTo(-10);
    assertThat(drawn(Long.MAX_VALUE - 3, 1, 1, Long.MAX_VALUE).ahead())
        .isEqualTo(Long.MAX_VALUE - 3);
    assertThat(drawn(1, Long.MAX_VALUE / 2, 1, Long.MAX_VALUE).ahead()).isEqualTo(1);
    assertThat(drawn(-10, -5, Long.MIN_VALUE, -1).isCoveredBy(-10)).isTrue();
    assertThat(drawn(-10, -5, Long.MIN_VALUE, -1).isCoveredBy(-5)).isFalse();
  }
}
