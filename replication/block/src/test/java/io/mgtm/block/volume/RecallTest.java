package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * A primary that died in a flush, whose replica is not synchronous: what was answered as durable is
 * on the primary's disk and need not be on the replica's, from which nothing is fetched therefore.
 */
class RecallTest {
  private static final int TURNS_MAX = 20_000;

  private ModelWorld world;
  private ModelNode source;
  private ModelNode target;

  private void begin(long seed) {
    world = new ModelWorld(seed, ModelFault.NONE, false);
    source = world.nodes.get(0);
    target = world.nodes.get(1);
    world.promotions.backupReturned = true; // none returns here
  }

  private void until(BooleanSupplier condition) {
    for (int turn = 0; turn < TURNS_MAX; turn++) {
      if (condition.getAsBoolean()) {
        return;
      }
      world.completeSomething();
      world.deliverSomething();
      world.tickSomeone();
    }
    throw new AssertionError("it does not come about; link " + source.core.view().link(0));
  }

  /** While the target's disk does nothing. */
  private void untilHere(BooleanSupplier condition) {
    for (int turn = 0; turn < TURNS_MAX && !condition.getAsBoolean(); turn++) {
      if (source.pending.isEmpty()) {
        world.deliverSomething();
      } else {
        source.step();
      }
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  private long write(int block) {
    long generation = source.core.state().generations().current();
    long id = world.history.issued(source.index, generation, block, 1);
    source.core.submit(new Change().write(block, 1, true, id).context(id));
    return id;
  }

  private boolean isUpToDate() {
    return source.core.view().link(0).phase() == LinkPhase.UP_TO_DATE;
  }

  /** Answers whether the replica had lost what only the primary's disk kept. */
  private boolean keepsWhatTheReplicaLost(long seed) {
    begin(seed);
    if (world.mode != LinkMode.SEMI || world.nodes.size() != 2) {
      return false;
    }
    until(() -> isUpToDate() && source.pending.isEmpty() && target.pending.isEmpty());
    long id = write(0);
    untilHere(() -> world.history.isDurable(id));
    write(1);
    untilHere(source.flushes::isUnderWay);
    world.kill(source, false);
    world.kill(target, true);
    boolean lost = target.disk.cache[0] != id;
    source.start();
    target.start();
    until(() -> isUpToDate() && !source.core.recall().isPending());
    assertThat(source.content()[0]).as("seed %d", seed).isEqualTo(id);
    assertThat(target.content()[0]).as("seed %d", seed).isEqualTo(id);
    return lost;
  }

  @Test
  void whatWasAnsweredAsDurableIsNotFetchedAway() {
    int lost = 0;
    for (long seed = 0; seed < 200; seed++) {
      lost += keepsWhatTheReplicaLost(seed) ? 1 : 0;
    }
    assertThat(lost).as("replicas that lost it").isPositive();
  }
}
