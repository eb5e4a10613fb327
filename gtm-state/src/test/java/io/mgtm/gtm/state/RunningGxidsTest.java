package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunningGxidsTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void agreesWithASortedListAcrossTheEndOf32Bits(long seed) {
    Random random = new Random(seed);
    RunningGxids running = new RunningGxids();
    List<Long> model = new ArrayList<>();
    long next = 0xffff_ffffL - 2_000;
    for (int i = 0; i < 20_000; i++) {
      if (model.isEmpty() || random.nextInt(100) < 52) {
        running.add((int) next);
        model.add(next);
        next += 1 + random.nextInt(3);
      } else {
        long victim = model.remove(random.nextInt(model.size()));
        running.remove((int) victim);
      }
      long probe = next - random.nextInt(4_000);
      long before = model.stream().filter(g -> g < probe).count();
      assertThat(running.countBefore((int) probe)).isEqualTo((int) before);
      assertThat(running.count()).isEqualTo(model.size());
    }
    assertThat(running.view(running.count()).copy())
        .containsExactly(model.stream().mapToInt(Long::intValue).toArray());
  }

  @org.junit.jupiter.api.Test
  void refusesWhatWouldBreakItsOrder() {
    RunningGxids running = new RunningGxids();
    running.add(10);
    assertThatThrownBy(() -> running.add(10)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> running.add(9)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> running.remove(11)).isInstanceOf(IllegalStateException.class);
  }
}
