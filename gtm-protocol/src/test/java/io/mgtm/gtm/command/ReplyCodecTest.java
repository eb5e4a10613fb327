package io.mgtm.gtm.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replies as checkpoints keep them. */
class ReplyCodecTest {
  static Set<Map.Entry<Reply, String>> pictures() {
    Map<Reply, String> all = new LinkedHashMap<>();
    all.put(Reply.None.INSTANCE, "01");
    all.put(
        new TransactionReply.Began(TransactionCommand.BeginKind.GXID, 5, -16, 1L << 40),
        "02 01 00000005 fffffff0 0000010000000000");
    all.put(new TransactionReply.BeganMany(3, 4, 5), "03 00000003 00000004 0000000000000005");
    all.put(new TransactionReply.GxidAssigned(1, 2), "04 00000001 00000002");
    all.put(new TransactionReply.Ended(Outcome.ROLLBACK, 7, true), "05 01 00000007 01");
    all.put(
        new TransactionReply.EndedMany(Outcome.COMMIT, Flags.of(true, false)),
        "06 00 00000002 01 00");
    all.put(new TransactionReply.PrepareStarted(8), "07 00000008");
    all.put(new TransactionReply.Prepared(9), "08 00000009");
    all.put(new TransactionReply.PreparedCommitted(10, false), "09 0000000a 00");
    all.put(new TransactionReply.BeganForPrepared(11, 12, "d1"), "0a 0000000b 0000000c 0002 6431");
    all.put(new TransactionReply.OldestGxidAdvanced(13, 14), "0b 0000000d 0000000e");
    all.put(new SequenceReply.Done(CommandType.RESET_SEQUENCE, "s"), "0c 2c 0001 73");
    all.put(
        new SequenceReply.Value(CommandType.NEXT_VALUE, "s", -1), "0d 29 0001 73 ffffffffffffffff");
    all.put(new NodeReply.Registered(NodeType.DATANODE, "d"), "0e 04 0001 64");
    all.put(new NodeReply.Unregistered(NodeType.DATANODE, "d"), "0f 04 0001 64");
    all.put(new BackupReply.Done(CommandType.BARRIER), "10 46");
    return all.entrySet();
  }

  private static byte[] encode(Reply reply) {
    ByteBuffer out = ByteBuffer.allocate(ReplyCodec.sizeMax(reply));
    ReplyCodec.encode(reply, out);
    return Arrays.copyOf(out.array(), out.position());
  }

  @Test
  void everyReplyThatIsKeptHasAPicture() {
    Set<Byte> codes =
        pictures().stream().map(p -> p.getKey().type().code()).collect(Collectors.toSet());
    for (byte code = 0; code < Byte.MAX_VALUE; code++) {
      assertThat(codes.contains(code))
          .as("code %s", code)
          .isEqualTo(ReplyType.ofCode(code) != null);
    }
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void aReplyKeepsItsBytesAndComesBackAsItWas(Map.Entry<Reply, String> sample) {
    byte[] bytes = encode(sample.getKey());
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(sample.getValue().replace(" ", ""));
    ByteBuffer in = ByteBuffer.wrap(bytes);
    assertThat(ReplyCodec.decode(in)).isEqualTo(sample.getKey());
    assertThat(in.hasRemaining()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void aReplyThatIsCutIsTooShort(Map.Entry<Reply, String> sample) {
    byte[] whole = encode(sample.getKey());
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> ReplyCodec.decode(cut)).isInstanceOf(BufferUnderflowException.class);
    }
  }

  @Test
  void whatIsNotKnownIsRefused() {
    for (String bytes : List.of("00", "11", "ff", "02 03 00000000", "05 02", "0c 7f", "0e 09")) {
      ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(bytes.replace(" ", "")));
      assertThatThrownBy(() -> ReplyCodec.decode(in)).isInstanceOf(UnknownCommandException.class);
    }
  }

  @Test
  void repliesThatChangeNothingAreNotKept() {
    for (Reply reply :
        List.of(
            new TransactionReply.NextGxid(1),
            new NodeReply.NodeList(List.of()),
            new Reply.Rejected(Reply.Reason.BAD_STATE, "no", ""))) {
      assertThatThrownBy(() -> encode(reply))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not kept");
    }
  }
}
