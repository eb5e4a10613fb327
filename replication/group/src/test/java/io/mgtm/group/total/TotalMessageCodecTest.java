package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.MessageCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TotalMessageCodecTest {
  private static final MemberId G1 = new MemberId("g1", new UUID(4, 5));

  private static final TotalMessage PROPOSALS =
      new TotalMessage.Proposals(
          3, 17, List.of(ByteBuffer.wrap(new byte[] {1, 2, 3}), ByteBuffer.allocate(0)));

  @Test
  void messagesComeBackAsTheyWere() {
    for (TotalMessage message : List.of(PROPOSALS, new TotalMessage.Expect(3, 18))) {
      TotalMessageCodec.Envelope read =
          TotalMessageCodec.decode(ByteBuffer.wrap(TotalMessageCodec.encode(G1, message)));
      assertThat(read.from()).isEqualTo(G1);
      assertThat(read.message()).isEqualTo(message);
    }
  }

  @Test
  void theyAreToldFromThoseOfTheLog() {
    assertThat(TotalMessageCodec.isOne(ByteBuffer.wrap(TotalMessageCodec.encode(G1, PROPOSALS))))
        .isTrue();
    byte[] ofLog = MessageCodec.encode(G1, new Message.TransferNow(4, 1));
    assertThat(TotalMessageCodec.isOne(ByteBuffer.wrap(ofLog))).isFalse();
    assertThat(TotalMessageCodec.isOne(ByteBuffer.allocate(0))).isFalse();
  }

  @Test
  void messagesThatAreCutOffOrLieAboutTheirSizeAreRefused() {
    byte[] whole = TotalMessageCodec.encode(G1, PROPOSALS);
    for (int bytes = 1; bytes < whole.length; bytes++) {
      ByteBuffer part = ByteBuffer.wrap(Arrays.copyOf(whole, bytes));
      assertThatThrownBy(() -> TotalMessageCodec.decode(part))
          .isInstanceOf(IllegalArgumentException.class);
    }
    byte[] liar = whole.clone();
    ByteBuffer.wrap(liar).putInt(liar.length - 4 - 4 - 3 - 4, Integer.MAX_VALUE);
    assertThatThrownBy(() -> TotalMessageCodec.decode(ByteBuffer.wrap(liar)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anEntryOfAnotherModeIsToldFromAProposal() {
    ProposalEntry entry = new ProposalEntry(G1, 3, 17, ByteBuffer.wrap(new byte[] {9}));
    assertThat(ProposalEntry.decode(entry.encoded())).isEqualTo(entry);
    assertThatThrownBy(() -> ProposalEntry.decode(ByteBuffer.wrap(new byte[] {1, 0, 0})))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("another mode");
  }
}
