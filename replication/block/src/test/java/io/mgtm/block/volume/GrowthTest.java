package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an operator sees of a volume's growth. */
class GrowthTest {
  private final ModelWorld world = new ModelWorld(0, ModelFault.NONE, false);
  private final ModelNode node = world.nodes.get(0);
  private final List<String> answers = new ArrayList<>();

  private void resize(long blocks) {
    node.core.administration().resize(blocks, answers::add);
  }

  private void settle() {
    settle(node);
  }

  private static void settle(ModelNode node) {
    while (!node.pending.isEmpty()) {
      node.step();
    }
  }

  @Test
  void oneGrowthAtATimeElseTheSecondWouldZeroWhatIsWrittenAfterTheFirst() {
    resize(ModelNode.BLOCKS + 2);
    resize(ModelNode.BLOCKS + 4);
    assertThat(answers).containsExactly("a resize is under way already; try again");
    settle();
    assertThat(node.core.state().sizeBytes()).isEqualTo(ModelNode.BLOCKS + 2);
    resize(ModelNode.BLOCKS + 4);
    settle();
    assertThat(node.core.state().sizeBytes()).isEqualTo(ModelNode.BLOCKS + 4);
    assertThat(answers).containsExactly("a resize is under way already; try again", null, null);
  }

  @Test
  void itDoesNotGrowWhenWhatIsBehindItsEndIsNotDurable() {
    node.failing = true;
    for (int i = 0; i < 100 && node.failing; i++) {
      resize(node.core.state().sizeBytes());
      settle();
    }
    assertThat(node.failing).as("a flush has failed").isFalse();
    assertThat(answers.get(answers.size() - 1)).contains("failed to flush");
  }

  /** A machine was exchanged whose copy is made with the size that the volume once had. */
  @Test
  void emptyCopyTakesTheSizeThatItsSourceHasByNow() {
    ModelNode empty = world.nodes.get(1);
    assertThat(empty.core.state().generations().isEmpty()).isTrue();
    resize(ModelNode.BLOCKS + 2);
    settle();
    Identity source = node.core.identityFor(empty.core.state().nodeId());
    Decision first = Meeting.decide(source, empty.core.identityFor(source.nodeId()));
    assertThat(first.outcome()).isEqualTo(Outcome.UNFIT);
    assertThat(first.reason())
        .endsWith(
            "(on the replica: mgtm volume resize --name %s --size %d)"
                .formatted(source.volume(), ModelNode.BLOCKS + 2));

    empty.core.administration().fit(source, first);
    settle(empty);

    assertThat(empty.core.state().sizeBytes()).isEqualTo(ModelNode.BLOCKS + 2);
    Decision then = Meeting.decide(source, empty.core.identityFor(source.nodeId()));
    assertThat(then.outcome()).isEqualTo(Outcome.ALL_CHUNKS);
  }

  @Test
  void copyWithDataDoesNotGrowByItself() {
    resize(ModelNode.BLOCKS + 2);
    settle();
    Identity source = node.core.identityFor("");
    ModelNode other = new ModelWorld(1, ModelFault.NONE, false).nodes.get(0);
    other.core.administration().fit(source, new Decision(Outcome.UNFIT, "its size"));
    settle(other);
    assertThat(other.core.state().sizeBytes()).isEqualTo(ModelNode.BLOCKS);
  }
}
