package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GatewaySessionTest {
  private final GatewaySession<String> session =
      new GatewaySession<>(7, new GatewaySession.Window(4, 1_000));

  private void add(String text) {
    session.add(text, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
  }

  private String send(int bytesMax) {
    ByteBuf out = Unpooled.buffer();
    session.send(bytesMax, out);
    return out.toString(StandardCharsets.US_ASCII);
  }

  @Test
  void numbersCommandsFromOneAndSendsThemInOrder() {
    add("a");
    add("b");
    assertThat(session.fresh()).isTrue();
    assertThat(session.last()).isEqualTo(2);
    assertThat(send(100)).isEqualTo("ab");
    assertThat(session.fresh()).isFalse();
    assertThat(session.hasUnsent()).isFalse();
    assertThat(session.answered(1)).isEqualTo("a");
    assertThat(session.acked()).isEqualTo(1);
  }

  @Test
  void sendsAgainWhatHasNoReplyAndNothingElse() {
    add("a");
    add("b");
    add("c");
    assertThat(send(100)).isEqualTo("abc");
    session.answered(1);
    session.detached();
    assertThat(session.sent()).isEqualTo(1);
    assertThat(send(100)).isEqualTo("bc");
    session.answered(2);
    session.detached();
    add("d");
    assertThat(send(100)).isEqualTo("cd");
  }

  @Test
  void aReplyComesForWhatWasSentAndInOrder() {
    add("a");
    assertThat(session.expects(1)).isFalse();
    assertThatThrownBy(() -> session.answered(1)).isInstanceOf(IllegalStateException.class);
    send(100);
    assertThat(session.expects(2)).isFalse();
    assertThat(session.expects(1)).isTrue();
    session.answered(1);
    assertThat(session.expects(1)).isFalse();
  }

  @Test
  void aFrameTakesAtLeastOneCommandHoweverLong() {
    add("aaaa");
    add("bb");
    add("cc");
    assertThat(send(2)).isEqualTo("aaaa");
    assertThat(send(4)).isEqualTo("bbcc");
  }

  @Test
  void theWindowCountsCommandsAndBytes() {
    for (int i = 0; i < 4; i++) {
      assertThat(session.hasRoom()).isTrue();
      add("x");
    }
    assertThat(session.hasRoom()).isFalse();
    send(100);
    session.answered(1);
    assertThat(session.hasRoom()).isTrue();

    GatewaySession<String> narrow = new GatewaySession<>(8, new GatewaySession.Window(100, 10));
    narrow.add("long", ByteBuffer.allocate(10));
    assertThat(narrow.hasRoom()).isFalse();
  }

  @Test
  void tellsWhoWaitedWhenItIsAbandoned() {
    add("a");
    add("b");
    send(100);
    session.answered(1);
    add("c");
    List<String> told = new ArrayList<>();
    session.abandon(told::add);
    assertThat(told).containsExactly("b", "c");
    assertThat(session.pending()).isZero();
  }

  /** Against a plain queue, over many growths and batches of the ring. */
  @Test
  void keepsBytesThroughGrowthAndWrap() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    GatewaySession<String> large =
        new GatewaySession<>(9, new GatewaySession.Window(5_000, 1 << 20));
    Deque<String> model = new ArrayDeque<>();
    long acked = 0;
    for (int step = 0; step < 20_000; step++) {
      if (random.nextInt(3) > 0 && large.hasRoom()) {
        String text = Integer.toString(step).repeat(1 + random.nextInt(100));
        large.add(text, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        model.addLast(text);
      } else if (!model.isEmpty()) {
        for (int i = random.nextInt(Math.min(50, model.size()) + 1); i > 0; i--) {
          if (large.sent() > acked) {
            acked++;
            assertThat(large.answered(acked)).as("seed %d", seed).isEqualTo(model.removeFirst());
          }
        }
      }
      if (random.nextInt(50) == 0) {
        large.detached();
      }
      if (large.hasUnsent() && random.nextInt(4) == 0) {
        long from = large.sent() - large.acked();
        ByteBuf out = Unpooled.buffer();
        int count = large.send(random.nextInt(5_000), out);
        String expected = String.join("", model.stream().skip(from).limit(count).toList());
        assertThat(out.toString(StandardCharsets.US_ASCII)).as("seed %d", seed).isEqualTo(expected);
      }
    }
  }
}
