package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrderCodecTest {
  private static final MemberId G1 = new MemberId("g1", new UUID(4, 5));

  private static final Message.OfOrder PROPOSALS =
      new Message.Proposals(
          3, 17, List.of(ByteBuffer.wrap(new byte[] {1, 2, 3}), ByteBuffer.allocate(0)));

  @Test
  void messagesComeBackAsTheyWere() {
    for (Message message : List.of(PROPOSALS, new Message.Expect(3, 18))) {
      MessageCodec.Envelope read =
          MessageCodec.decode(ByteBuffer.wrap(MessageCodec.encode(G1, message)));
      assertThat(read.from()).isEqualTo(G1);
      assertThat(read.message()).isEqualTo(message);
    }
  }

  @Test
  void theyAreToldFromThoseOfTheLog() {
    assertThat(OrderCodec.isOne(ByteBuffer.wrap(MessageCodec.encode(G1, PROPOSALS)))).isTrue();
    byte[] ofLog = MessageCodec.encode(G1, new Message.TransferNow(4, 1));
    assertThat(OrderCodec.isOne(ByteBuffer.wrap(ofLog))).isFalse();
    assertThat(OrderCodec.isOne(ByteBuffer.allocate(0))).isFalse();
  }

  @Test
  void messagesThatAreCutOffOrLieAboutTheirSizeAreRefused() {
    byte[] whole = MessageCodec.encode(G1, PROPOSALS);
    for (int bytes = 1; bytes < whole.length; bytes++) {
      ByteBuffer part = ByteBuffer.wrap(Arrays.copyOf(whole, bytes));
      assertThatThrownBy(() -> MessageCodec.decode(part))
          .isInstanceOf(IllegalArgumentException.class);
    }
    byte[] liar = whole.clone();
    ByteBuffer.wrap(liar).putInt(liar.length - 4 - 4 - 3 - 4, Integer.MAX_VALUE);
    assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(liar)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
