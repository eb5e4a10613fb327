package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.TransactionReply;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kept replies against a sorted map. */
class ReplyWindowTest {
  private static final int STEPS = 5_000;

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void itHoldsWhatASortedMapHolds(int seed) {
    Random random = new Random(seed);
    ReplyWindow window = new ReplyWindow();
    TreeMap<Long, Reply> model = new TreeMap<>();
    long highest = 0;
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(4) > 0) {
        long number =
            random.nextInt(10) > 0 ? highest + 1 + random.nextInt(3) : 1 + random.nextInt(500);
        if (!model.containsKey(number)) {
          Reply reply = new TransactionReply.Prepared(step);
          window.put(number, reply);
          model.put(number, reply);
          highest = Math.max(highest, number);
        }
      } else if (random.nextInt(30) == 0) {
        long upTo = highest - random.nextInt(1_000);
        window.dropUpTo(upTo);
        model.headMap(upTo, true).clear();
      }
      long asked = Math.max(0, highest - random.nextInt(600));
      assertThat(window.find(asked)).isSameAs(model.get(asked));
      assertThat(window.size()).isEqualTo(model.size());
    }
    TreeMap<Long, Reply> all = new TreeMap<>();
    window.forEach(all::put);
    assertThat(all).isEqualTo(model);
  }

  @Test
  void aNumberHasOneReply() {
    ReplyWindow window = new ReplyWindow();
    window.put(3, Reply.None.INSTANCE);
    assertThatThrownBy(() -> window.put(3, Reply.None.INSTANCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("command 3 has a reply already");
  }
}
