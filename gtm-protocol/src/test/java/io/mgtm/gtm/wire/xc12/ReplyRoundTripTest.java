package io.mgtm.gtm.wire.xc12;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Flags;
import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server writes is what a client reads. */
class ReplyRoundTripTest {
  private static final short BACKEND = 7;
  private static final String KEY = "db.s.q\0";
  private static final long TIME = 818_000_000_000_000L;

  /** What one connection's decoder handed over. */
  private static final class Collector implements ReplyHandler {
    private int accepted;
    private final List<Reply> replies = new ArrayList<>();
    private final List<Short> backends = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    @Override
    public void startupAccepted() {
      accepted++;
    }

    @Override
    public void reply(ResultType type, short backend, Reply reply) {
      backends.add(backend);
      replies.add(reply);
    }

    @Override
    public void error(short backend, boolean fatal, String message, String hint) {
      backends.add(backend);
      errors.add((fatal ? "FATAL " : "ERROR ") + message + "|" + hint);
    }
  }

  static Stream<Reply> replies() {
    return Stream.of(
            transactions(),
            Stream.of(
                snapshot(CommandType.GET_SNAPSHOT, -1, 12, Flags.ONE_SET, 10, 11, 12, -5),
                snapshot(CommandType.GET_SNAPSHOT_MANY, -1, 0, Flags.of(true, false)),
                snapshot(CommandType.ASSIGN_GXID_AND_GET_SNAPSHOT, 3, 9, Flags.ONE_SET, 9)),
            others())
        .flatMap(s -> s);
  }

  private static SnapshotReply.Snapshot snapshot(
      CommandType of, int handle, int gxid, Flags known, int... running) {
    return new SnapshotReply.Snapshot(
        of, handle, gxid, known, 8, 13, 6, new Gxids(running, 0, running.length));
  }

  private static Stream<Reply> transactions() {
    TransactionInfo open =
        new TransactionInfo(
            4,
            100,
            TransactionState.PREPARED,
            1L << 40,
            BACKEND,
            Isolation.SERIALIZABLE,
            true,
            true,
            90,
            "gid",
            "c1,d1");
    TransactionInfo prepared =
        new TransactionInfo(
            ReplyDecoder.NO_HANDLE,
            101,
            TransactionState.PREPARED,
            0,
            Command.NO_BACKEND,
            Isolation.READ_COMMITTED,
            false,
            false,
            0,
            "",
            "d2");
    return Stream.of(
        new TransactionReply.Began(BeginKind.HANDLE, 12, 0, TIME),
        new TransactionReply.Began(BeginKind.GXID, ReplyDecoder.NO_HANDLE, -9, TIME),
        new TransactionReply.Began(BeginKind.AUTOVACUUM, ReplyDecoder.NO_HANDLE, 8, 0),
        new TransactionReply.BeganMany(3, 77, TIME),
        new TransactionReply.GxidAssigned(4, 5),
        new TransactionReply.Ended(Outcome.COMMIT, 6, true),
        new TransactionReply.Ended(Outcome.ROLLBACK, 7, false),
        new TransactionReply.EndedMany(Outcome.COMMIT, Flags.of(true, false, true)),
        new TransactionReply.EndedMany(Outcome.ROLLBACK, Flags.of(false)),
        new TransactionReply.PrepareStarted(8),
        new TransactionReply.Prepared(9),
        new TransactionReply.PreparedCommitted(10, true),
        new TransactionReply.BeganForPrepared(11, 12, "c1,d1,d2"),
        new TransactionReply.NextGxid(-1),
        new TransactionReply.Status(13, TransactionState.PREPARE_IN_PROGRESS),
        new TransactionReply.OldestGxidAdvanced(14, 15),
        new TransactionReply.TransactionList(1, 2, 3, 4, 5, 6, 7, 8, List.of(open, prepared)),
        new TransactionReply.TransactionList(1, 2, 3, 4, 5, 6, 7, 8, List.of()),
        new TransactionReply.PreparedList(List.of(prepared)));
  }

  private static Stream<Reply> others() {
    SequenceReply.SequenceInfo sequence =
        new SequenceReply.SequenceInfo(KEY, 1, -2, 3, -4, Long.MIN_VALUE, 6, true, false);
    NodeAddress address = new NodeAddress(NodeType.DATANODE, "d1", "", "h", 5432, "/data");
    return Stream.of(
        new SequenceReply.Done(CommandType.INIT_SEQUENCE, KEY),
        new SequenceReply.Done(CommandType.SET_VALUE, KEY),
        new SequenceReply.Done(CommandType.RESET_SEQUENCE, KEY),
        new SequenceReply.Done(CommandType.CLOSE_SEQUENCE, KEY),
        new SequenceReply.Done(CommandType.RENAME_SEQUENCE, KEY),
        new SequenceReply.Done(CommandType.ALTER_SEQUENCE, KEY),
        new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, Long.MIN_VALUE),
        new SequenceReply.Value(CommandType.LAST_VALUE, KEY, 9),
        new SequenceReply.SequenceList(List.of(sequence, sequence)),
        new NodeReply.Registered(NodeType.COORDINATOR, "c1"),
        new NodeReply.Unregistered(NodeType.DATANODE, "d1"),
        new NodeReply.NodeList(
            List.of(new NodeReply.NodeInfo(address, true), new NodeReply.NodeInfo(address, false))),
        new BackupReply.Done(CommandType.BARRIER),
        new BackupReply.Done(CommandType.BEGIN_BACKUP),
        new BackupReply.Done(CommandType.END_BACKUP),
        new BackupReply.BarrierList(List.of(new BackupReply.BarrierInfo("b", 1L << 33, TIME))));
  }

  private static Collector decode(ByteBuf bytes, boolean proxied, boolean byteByByte)
      throws WireException {
    Collector collector = new Collector();
    ReplyDecoder decoder = new ReplyDecoder(64 * 1024, proxied, collector);
    if (byteByByte) {
      ByteBuf fed = Unpooled.buffer();
      while (bytes.isReadable()) {
        decoder.decode(fed.writeByte(bytes.readByte()));
      }
      bytes = fed;
    }
    decoder.decode(bytes);
    assertThat(bytes.readableBytes()).isZero();
    return collector;
  }

  private static ByteBuf encode(boolean proxied, Reply reply) {
    ByteBuf bytes = Unpooled.buffer();
    new ReplyEncoder().encode(bytes, proxied, BACKEND, reply);
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aClientReadsTheReplyThatAServerWrote(Reply reply) throws WireException {
    Collector read = decode(encode(false, reply), false, false);
    // Gxids are views of an array, and so compared by what they print.
    assertThat(read.replies).hasToString(List.of(reply).toString());
    assertThat(read.backends).containsExactly(Command.NO_BACKEND);
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aProxyReadsTheReplyThatAServerWroteByteByByte(Reply reply) throws WireException {
    Collector read = decode(encode(true, reply), true, true);
    assertThat(read.replies).hasToString(List.of(reply).toString());
    assertThat(read.backends).containsExactly(BACKEND);
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyThatEndsEarlyIsRefused(Reply reply) {
    ByteBuf whole = encode(false, reply);
    int bodyBytes = whole.readableBytes() - FrameLimits.HEADER_BYTES;
    for (int kept = 0; kept < bodyBytes; kept++) {
      ByteBuf cut = whole.copy(0, FrameLimits.HEADER_BYTES + kept).setInt(1, 4 + kept);
      assertThatThrownBy(() -> decode(cut, false, false)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void everyReplyIsTried() {
    Set<Class<?>> tried = replies().map(Object::getClass).collect(Collectors.toSet());
    Set<Class<?>> all =
        Stream.of(
                TransactionReply.class,
                SnapshotReply.class,
                SequenceReply.class,
                NodeReply.class,
                BackupReply.class)
            .flatMap(family -> Stream.of(family.getPermittedSubclasses()))
            .collect(Collectors.toSet());
    assertThat(tried).isEqualTo(all);
  }

  @Test
  void aClientReadsErrorsAndTheAcceptedStartup() throws WireException {
    ByteBuf bytes = Unpooled.buffer();
    ReplyEncoder encoder = new ReplyEncoder();
    encoder.startupAccepted(bytes);
    encoder.error(bytes, false, BACKEND, false, "näh", "Try later.");
    encoder.error(bytes, false, BACKEND, true, "gone", "");
    Collector read = decode(bytes, false, true);
    assertThat(read.accepted).isOne();
    assertThat(read.errors).containsExactly("ERROR näh|Try later.", "FATAL gone|");
  }

  @Test
  void aProxyReadsWhoseErrorItIs() throws WireException {
    ByteBuf bytes = Unpooled.buffer();
    new ReplyEncoder().error(bytes, true, BACKEND, false, "no", "");
    Collector read = decode(bytes, true, false);
    assertThat(read.errors).containsExactly("ERROR no|");
    assertThat(read.backends).containsExactly(BACKEND);
  }

  @Test
  void aFrameThatNoServerSendsIsRefusedBeforeItIsWaitedFor() {
    assertThatThrownBy(() -> decode(Unpooled.copiedBuffer("HTTP", US), false, false))
        .hasMessageContaining("unexpected reply type 72");
    assertThatThrownBy(
            () -> decode(Unpooled.buffer().writeByte('S').writeInt(0x7fff_ffff), false, false))
        .hasMessageContaining("allowed is 4 to 65535");
    assertThatThrownBy(() -> decode(Unpooled.buffer().writeByte('S').writeInt(-1), false, false))
        .hasMessageContaining("-1");
    assertThatThrownBy(
            () -> decode(Unpooled.buffer().writeByte('S').writeInt(8).writeInt(99), false, false))
        .hasMessageContaining("invalid result type 99");
  }

  @Test
  void aCountThatTheFrameCannotHoldAllocatesNothing() {
    ByteBuf sequences = Unpooled.buffer().writeByte('S').writeInt(12);
    sequences.writeInt(ResultType.SEQUENCE_LIST.code()).writeInt(0x7fff_ffff);
    assertThatThrownBy(() -> decode(sequences, false, false))
        .hasMessageContaining("has bytes for fewer");
    ByteBuf snapshot = Unpooled.buffer().writeByte('S').writeInt(16);
    snapshot.writeInt(ResultType.SNAPSHOT_GET.code()).writeIntLE(5).writeIntLE(-1);
    assertThatThrownBy(() -> decode(snapshot, false, false))
        .hasMessageContaining("has bytes for fewer");
  }

  private static final java.nio.charset.Charset US = java.nio.charset.StandardCharsets.US_ASCII;
}
