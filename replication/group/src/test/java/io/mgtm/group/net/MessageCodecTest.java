package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Message;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
  private static final MemberId SELF = new MemberId("g1", new UUID(1, 2));
  private static final UUID FOUNDING = new UUID(3, 4);

  /** Of a view of 255. */
  private static final int CAUSAL_HEADER_BYTES_MAX = 8 << 10;

  /** At the end of an answer. */
  private static final int PROMISE_BYTES = 4;

  static Stream<Message> messages() {
    Membership members =
        Membership.ofVoters(List.of(SELF))
            .withLearner(new MemberId("größer", new UUID(3, 4)))
            .withDurability(DurabilityMode.ALL);
    Entry one =
        new Entry(3, EntryKind.COMMAND, Durability.AHEAD, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    Entry two =
        new Entry(4, EntryKind.MEMBERSHIP, Durability.REQUIRED, ByteBuffer.wrap(members.encoded()));
    return Stream.of(
        new Message.Hello(0, null, 42),
        new Message.Hello(7, FOUNDING, 42),
        new Message.HelloReply(7, -42, "", new Configured(List.of("g1"), ""), Membership.NONE),
        new Message.HelloReply(
            7, -42, "g2", new Configured(List.of("g1", "größer"), "größer", "a backup"), members),
        new Message.Foreign(7, FOUNDING),
        new Message.NotAMember(7, FOUNDING, members),
        new Message.PreVote(1, null, 2, 3, 4),
        new Message.PreVote(1, FOUNDING, 2, 3, 4),
        new Message.PreVoteReply(1, 2, true, DurabilityState.SYNCED_ONLY),
        new Message.Vote(1, FOUNDING, 2, 3, true, false),
        new Message.VoteReply(1, true, DurabilityState.INTACT),
        new Message.Append(5, FOUNDING, 6, 7, 4, 3, List.of()),
        new Message.Append(5, FOUNDING, 6, 7, 4, 3, List.of(one, two, one)),
        new Message.AppendReply(1, 2, DurabilityState.SYNCED_ONLY, 3, false, 4, 5, 6, 7, 8),
        new Message.CheckpointPiece(
            1,
            FOUNDING,
            2,
            new CoreLog.Checkpoint(3, 4, members, 1L << 40, 5),
            1L << 33,
            6,
            ByteBuffer.wrap(new byte[] {9, 8, 7})),
        new Message.CheckpointReply(1, 2, DurabilityState.INTACT, 3, 4, 5),
        new Message.CaughtUp(1, 2),
        new Message.TransferNow(Long.MAX_VALUE, 3),
        new Message.OlderCopy(4, 5, 6),
        new Message.NoRoom(4, 5),
        new Message.Diverged(1, 2));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void messageIsReadAsItWasWritten(Message message) {
    MessageCodec.Envelope read =
        MessageCodec.decode(ByteBuffer.wrap(MessageCodec.encode(SELF, message)));
    assertThat(read.from()).isEqualTo(SELF);
    assertThat(read.message()).isEqualTo(message);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void messageThatIsCutOffIsRefusedOrShorterByWhatItCarries(Message message) {
    byte[] bytes = MessageCodec.encode(SELF, message);
    int fixed = message instanceof Message.CheckpointPiece ? bytes.length - 3 : bytes.length;
    int ofEarlier = message instanceof Message.AppendReply ? bytes.length - PROMISE_BYTES : -1;
    for (int length = 0; length < fixed; length++) {
      if (length == ofEarlier) {
        continue;
      }
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
      assertThatIllegalArgumentException().isThrownBy(() -> MessageCodec.decode(cut));
    }
  }

  @Test
  void replyOfAnEarlierProgramPromisesNothing() {
    Message reply = new Message.AppendReply(1, 2, DurabilityState.INTACT, 3, true, 4, 5, 6, 7, 8);
    byte[] bytes = MessageCodec.encode(SELF, reply);
    ByteBuffer earlier = ByteBuffer.wrap(bytes, 0, bytes.length - PROMISE_BYTES);
    assertThat(MessageCodec.decode(earlier).message())
        .isEqualTo(new Message.AppendReply(1, 2, DurabilityState.INTACT, 3, true, 4, 5, 6, 7, 0));
  }

  @Test
  void largestEntryFitsAFrameWithAllThatIsSaidBesideIt() {
    MemberId longest = new MemberId("n".repeat(Membership.NAME_BYTES_MAX), new UUID(1, 2));
    ByteBuffer payload = ByteBuffer.allocate(ReplicatedLog.ENTRY_BYTES_MAX);
    Entry entry = new Entry(3, EntryKind.COMMAND, Durability.AHEAD, payload);
    Message message = new Message.Append(5, FOUNDING, 6, 7, 4, 3, List.of(entry));
    assertThat(MessageCodec.encode(longest, message).length + CAUSAL_HEADER_BYTES_MAX)
        .isLessThan(Links.FRAME_BYTES_MAX);
  }

  @Test
  void countThatCannotBeIsRefusedBeforeAnythingIsAllocated() {
    byte[] bytes =
        MessageCodec.encode(SELF, new Message.Append(5, FOUNDING, 6, 7, 4, 3, List.of()));
    ByteBuffer forged = ByteBuffer.wrap(bytes);
    forged.putInt(bytes.length - 4, Integer.MAX_VALUE);
    assertThatIllegalArgumentException().isThrownBy(() -> MessageCodec.decode(forged));
  }
}
