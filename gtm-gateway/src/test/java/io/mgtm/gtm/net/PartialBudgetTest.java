package io.mgtm.gtm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartialBudgetTest {
  private static final int LONG = 4 * PartialBudget.FREE_BYTES;

  private final PartialBudget budget = new PartialBudget(3L * LONG);
  private final List<String> gone = new ArrayList<>();
  private final List<Sender> senders = new ArrayList<>();

  @AfterEach
  void release() {
    senders.forEach(sender -> sender.watch.release());
  }

  /** A client's connection. */
  private final class Sender {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final InboundWatch watch;

    Sender(String name) {
      watch = new InboundWatch(channel, 1_000, budget, why -> gone.add(name));
      senders.add(this);
    }

    Sender sends(int bytes, int decoded) {
      var joined = watch.join(Unpooled.wrappedBuffer(new byte[bytes]));
      joined.skipBytes(decoded);
      watch.keepRest(joined, false);
      return this;
    }
  }

  private Sender sender(String name) {
    return new Sender(name);
  }

  private List<String> gone() {
    senders.forEach(sender -> sender.channel.runPendingTasks());
    return gone;
  }

  @Test
  void frameThatWasBegunFirstMakesRoom() {
    for (String name : List.of("a", "b", "c", "d", "e")) {
      sender(name).sends(LONG, 0);
    }
    assertThat(gone()).containsExactly("a", "b");
  }

  @Test
  void whatGrowsSlowlyIsCountedFromItsBeginning() {
    Sender slow = sender("slow");
    for (int i = 0; i < 3; i++) {
      slow.sends(LONG / 4, 0);
      assertThat(gone()).isEmpty();
    }
    sender("b").sends(LONG, 0);
    sender("c").sends(LONG, 0);
    slow.sends(LONG / 4, 0);
    assertThat(gone()).isEmpty();
    slow.sends(1, 0);
    assertThat(gone()).containsExactly("slow");
  }

  @Test
  void shortFramesAreNotCounted() {
    for (int i = 0; i < 100; i++) {
      sender("s" + i).sends(PartialBudget.FREE_BYTES, 0);
    }
    assertThat(gone()).isEmpty();
  }

  @Test
  void whoEndsFramesStays() {
    Sender busy = sender("busy");
    for (int i = 0; i < 100; i++) {
      busy.sends(LONG, 0).sends(LONG, 2 * LONG);
    }
    sender("a").sends(LONG, 0);
    sender("b").sends(LONG, 0);
    busy.sends(LONG, 0);
    assertThat(gone()).isEmpty();
    busy.sends(LONG, LONG);
    sender("c").sends(1, 0).sends(LONG - 1, 0);
    assertThat(gone()).as("busy has begun another frame since, a has not").containsExactly("a");
  }

  @Test
  void whoIsNotReadIsLetAlone() {
    Sender unread = sender("unread").sends(LONG, 0);
    unread.channel.config().setAutoRead(false);
    for (String name : List.of("a", "b", "c")) {
      sender(name).sends(LONG, 0);
    }
    assertThat(gone()).isEmpty();
  }

  @Test
  void whatIsGoneTakesNothing() {
    for (int i = 0; i < 100; i++) {
      sender("s" + i).sends(LONG, 0).watch.release();
    }
    sender("a").sends(3 * LONG, 0);
    assertThat(gone()).isEmpty();
  }
}
