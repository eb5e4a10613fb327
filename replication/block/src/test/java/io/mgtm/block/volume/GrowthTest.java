package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

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
}
