package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A resync that is cut again and again leaves nothing behind that would have to be remembered. */
class InterruptedResyncTest {
  private static final int TURNS_MAX = 200_000;

  private final ModelWorld world = pair();
  private final ModelNode source = world.nodes.get(0);
  private final ModelNode target = world.nodes.get(1);

  private static ModelWorld pair() {
    for (long seed = 0; ; seed++) {
      ModelWorld world = new ModelWorld(seed, ModelFault.NONE, false);
      if (world.nodes.size() == 2 && world.mode == LinkMode.SYNC) {
        return world;
      }
    }
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

  private LinkPhase phase() {
    return source.core.view().link(0).phase();
  }

  private void cut() {
    List.copyOf(world.connections).forEach(connection -> connection.cut("path lost"));
  }

  @Test
  void manyCutsInMidResyncAreNoSplitBrain() {
    until(() -> phase() == LinkPhase.UP_TO_DATE);
    cut();
    until(() -> phase() == LinkPhase.DOWN);
    for (int round = 0; round < 2 * Generations.REMEMBERED_MAX; round++) {
      for (int i = 0; i < 6; i++) {
        world.request(source);
      }
      until(() -> phase() == LinkPhase.SYNCING && !target.files.state.consistent());
      world.request(source);
      cut();
      until(() -> phase() != LinkPhase.SYNCING);
    }
    assertThat(source.files.state.generations().ids()).hasSizeLessThan(4);
    until(() -> phase() == LinkPhase.UP_TO_DATE);
    until(source.pending::isEmpty);
    assertThat(target.files.state.generations()).isEqualTo(source.files.state.generations());
  }

  @Test
  void whatAPeerIsAtIsNotForgottenHoweverOftenOthersAreLost() {
    Generations history = Generations.NONE.with(1);
    for (long id = 2; id < 3L * Generations.REMEMBERED_MAX; id++) {
      history = history.with(id, java.util.Set.of(1L, 200L));
    }
    assertThat(history.ids()).hasSize(Generations.REMEMBERED_MAX).contains(1L, 200L);
    assertThat(history.contains(2)).isFalse();
  }
}
