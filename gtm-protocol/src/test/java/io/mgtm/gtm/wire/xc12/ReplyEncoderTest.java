package io.mgtm.gtm.wire.xc12;

import static io.mgtm.gtm.command.CommandType.ALTER_SEQUENCE;
import static io.mgtm.gtm.command.CommandType.ASSIGN_GXID_AND_GET_SNAPSHOT;
import static io.mgtm.gtm.command.CommandType.CLOSE_SEQUENCE;
import static io.mgtm.gtm.command.CommandType.CLOSE_SEQUENCES_OF_DATABASE;
import static io.mgtm.gtm.command.CommandType.GET_SNAPSHOT;
import static io.mgtm.gtm.command.CommandType.GET_SNAPSHOT_MANY;
import static io.mgtm.gtm.command.CommandType.INIT_SEQUENCE;
import static io.mgtm.gtm.command.CommandType.LAST_VALUE;
import static io.mgtm.gtm.command.CommandType.NEXT_VALUE;
import static io.mgtm.gtm.command.CommandType.RENAME_SEQUENCE;
import static io.mgtm.gtm.command.CommandType.RESET_SEQUENCE;
import static io.mgtm.gtm.command.CommandType.SET_VALUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.mgtm.gtm.command.BackupReply;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every reply, byte for byte. The pictures show what follows the length: the result type, then the
 * fields in the order and byte order of the original's server.
 */
class ReplyEncoderTest {
  private static final short DIRECT = -1;

  static List<Arguments> replies() {
    return Stream.of(
            transactions(), moreTransactions(), snapshots(), sequences(), nodes(), backups())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Arguments> transactions() {
    return List.of(
        arguments(
            new TransactionReply.Began(BeginKind.HANDLE, 7, 0, 0x0102030405060708L),
            "00000008 07000000 0807060504030201"),
        arguments(
            new TransactionReply.Began(BeginKind.GXID, 7, 10_000, 0x0102030405060708L),
            "00000009 10270000 0807060504030201"),
        arguments(
            new TransactionReply.Began(BeginKind.AUTOVACUUM, 7, 0xfffffff0, 1),
            "00000024 f0ffffff"),
        arguments(
            new TransactionReply.BeganMany(3, 10_000, 0x0102030405060708L),
            "0000000a 03000000 10270000 0807060504030201"),
        arguments(new TransactionReply.GxidAssigned(7, 10_001), "00000013 07000000 11270000"),
        arguments(
            new TransactionReply.Ended(Outcome.COMMIT, 10_000, true), "0000000e 10270000 00000000"),
        arguments(
            new TransactionReply.Ended(Outcome.ROLLBACK, 10_000, false),
            "00000010 10270000 ffffffff"),
        arguments(
            new TransactionReply.EndedMany(Outcome.COMMIT, Flags.of(true, false)),
            "0000000f 02000000 00000000 ffffffff"),
        arguments(
            new TransactionReply.EndedMany(Outcome.ROLLBACK, Flags.of(true)),
            "00000011 01000000 00000000"),
        arguments(new TransactionReply.PrepareStarted(10_000), "0000000c 10270000"),
        arguments(new TransactionReply.Prepared(10_000), "0000000b 10270000"),
        arguments(
            new TransactionReply.PreparedCommitted(10_000, true), "0000000d 10270000 00000000"),
        arguments(
            new TransactionReply.PreparedCommitted(10_000, false), "0000000d 10270000 ffffffff"),
        arguments(
            new TransactionReply.BeganForPrepared(10_002, 10_000, "dn1,dn2"),
            "00000012 12270000 10270000 00000007 646e312c646e32"));
  }

  private static final TransactionInfo PREPARED =
      new TransactionInfo(
          2,
          10_000,
          TransactionState.PREPARED,
          0x1122334455667788L,
          (short) 0x0102,
          Isolation.READ_COMMITTED,
          true,
          false,
          9_999,
          "T1",
          "dn1");

  private static List<Arguments> moreTransactions() {
    return List.of(
        arguments(new TransactionReply.NextGxid(10_000), "00000014 00002710"),
        arguments(
            new TransactionReply.Status(10_000, TransactionState.PREPARED),
            "00000022 10270000 00000003"),
        arguments(
            new TransactionReply.OldestGxidAdvanced(10_000, 10_001), "00002711 10270000 11270000"),
        arguments(
            new TransactionReply.PreparedList(List.of(PREPARED)),
            "00000023 00000001 10270000 00000002 5431 00000003 646e31"),
        arguments(
            new TransactionReply.TransactionList(1, 2, 3, 4, 5, 6, 7, 8, List.of()),
            "00000015 00000030"
                + " 00000000 01000000 01000000 02000000 00000000 03000000"
                + " 04000000 05000000 06000000 07000000 08000000 00000000"),
        arguments(
            new TransactionReply.TransactionList(1, 2, 3, 4, 5, 6, 7, 8, List.of(PREPARED)),
            "00000015 0000007b"
                + " 00000000 01000000 01000000 02000000 00000000 03000000"
                + " 04000000 05000000 06000000 07000000 08000000 01000000"
                // size of what follows, 64 bits
                + " 4300000000000000"
                // handle, session, in use, gxid, state, coordinator's name
                + " 02000000 8877665544332211 01 10270000 03000000 00000000"
                // xmin, isolation, read only, backend
                + " 0f270000 01000000 01 0201"
                // nodes, GID
                + " 03000000 646e31 02000000 5431"
                // an empty snapshot, not set, no vacuum
                + " 00000000 00000000 00000000 00000000 00 00"));
  }

  private static SnapshotReply.Snapshot snapshot(CommandType of, Flags known, Gxids running) {
    return new SnapshotReply.Snapshot(of, 7, 10_000, known, 9_999, 10_001, 9_000, running);
  }

  private static List<Arguments> snapshots() {
    Gxids running = new Gxids(new int[] {1, 9_999, 10_000, 2}, 1, 2);
    Gxids none = new Gxids(new int[4], 2, 0);
    return List.of(
        arguments(
            snapshot(GET_SNAPSHOT, Flags.ONE_SET, running),
            "00000016 10270000 01000000 00000000 0f270000 11270000 28230000"
                + " 00000002 0f270000 10270000"),
        arguments(
            snapshot(GET_SNAPSHOT, Flags.ONE_SET, none),
            "00000016 10270000 01000000 00000000 0f270000 11270000 28230000 00000000"),
        arguments(
            snapshot(GET_SNAPSHOT_MANY, Flags.of(true, false, true), running),
            "00000017 03000000 00000000 ffffffff 00000000 0f270000 11270000 28230000"
                + " 00000002 0f270000 10270000"),
        arguments(
            snapshot(ASSIGN_GXID_AND_GET_SNAPSHOT, Flags.ONE_SET, none),
            "00000018 07000000 10270000 01000000 00000000 0f270000 11270000 28230000 00000000"));
  }

  private static Arguments done(CommandType of, String resultType) {
    return arguments(new SequenceReply.Done(of, "d.s\0"), resultType + " 00000004 642e7300");
  }

  private static List<Arguments> sequences() {
    return List.of(
        arguments(
            new SequenceReply.Value(NEXT_VALUE, "d.s\0", -2),
            "0000001a 00000004 642e7300 feffffffffffffff"),
        arguments(
            new SequenceReply.Value(LAST_VALUE, "d.s\0", 5),
            "0000001b 00000004 642e7300 0500000000000000"),
        done(INIT_SEQUENCE, "00000019"),
        done(SET_VALUE, "0000001c"),
        done(RESET_SEQUENCE, "0000001d"),
        done(CLOSE_SEQUENCE, "0000001e"),
        done(CLOSE_SEQUENCES_OF_DATABASE, "0000001e"),
        done(RENAME_SEQUENCE, "0000001f"),
        done(ALTER_SEQUENCE, "00000020"),
        arguments(new SequenceReply.SequenceList(List.of()), "00000021 00000000"),
        arguments(
            new SequenceReply.SequenceList(
                List.of(new SequenceReply.SequenceInfo("d.s\0", 1, 2, 3, -4, 5, 6, true, false))),
            "00000021 00000001 00000046 04000000 642e7300 00000000"
                + " 0100000000000000 0200000000000000 0300000000000000"
                + " fcffffffffffffff 0500000000000000 0600000000000000"
                + " 01 00 00000000 01000000"));
  }

  private static List<Arguments> nodes() {
    NodeAddress address = new NodeAddress(NodeType.DATANODE, "dn1", "px", "::1", 6_666, "/d");
    return List.of(
        arguments(
            new NodeReply.Registered(NodeType.DATANODE, "dn1"),
            "00000001 04000000 00000003 646e31"),
        arguments(
            new NodeReply.Unregistered(NodeType.COORDINATOR, "co"),
            "00000002 03000000 00000002 636f"),
        arguments(
            new NodeReply.NodeList(
                List.of(
                    new NodeReply.NodeInfo(address, true), new NodeReply.NodeInfo(address, false))),
            "00000003 00000002"
                + " 00000026 04000000 03000000 646e31 02000000 7078 0a1a0000"
                + " 03000000 3a3a31 02000000 2f64 00000000"
                + " 00000026 04000000 03000000 646e31 02000000 7078 0a1a0000"
                + " 03000000 3a3a31 02000000 2f64 01000000"));
  }

  private static List<Arguments> backups() {
    return List.of(
        arguments(new BackupReply.Done(CommandType.BARRIER), "00000025"),
        arguments(new BackupReply.Done(CommandType.BEGIN_BACKUP), "00000006"),
        arguments(new BackupReply.Done(CommandType.END_BACKUP), "00000007"),
        arguments(
            new BackupReply.BarrierList(List.of(new BackupReply.BarrierInfo("b", 10_000, 1))),
            "00002712 00000001 00000001 62 1027000000000000 0100000000000000"));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyIsAsTheOriginalsClientsReadIt(Reply reply, String picture) {
    String body = picture.replace(" ", "");
    assertThat(hex(false, DIRECT, reply))
        .isEqualTo("53" + "%08x".formatted(4 + body.length() / 2) + body);
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyToAProxyCarriesTheBackendAfterTheResultType(Reply reply, String picture) {
    String body = picture.replace(" ", "");
    assertThat(hex(true, (short) 0x0102, reply))
        .isEqualTo(
            "53"
                + "%08x".formatted(6 + body.length() / 2)
                + body.substring(0, 8)
                + "0201"
                + body.substring(8));
  }

  private static String hex(boolean proxied, short backend, Reply reply) {
    ByteBuf out = Unpooled.buffer();
    new ReplyEncoder().encode(out, proxied, backend, reply);
    return ByteBufUtil.hexDump(out);
  }

  @Test
  void repliesFollowEachOtherInOneBuffer() {
    ByteBuf out = Unpooled.directBuffer(1);
    ReplyEncoder encoder = new ReplyEncoder();
    encoder.startupAccepted(out);
    replies().forEach(r -> encoder.encode(out, false, DIRECT, (Reply) r.get()[0]));
    StringBuilder expected = new StringBuilder("5200000004");
    replies().forEach(r -> expected.append(hex(false, DIRECT, (Reply) r.get()[0])));
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(expected.toString());
    out.release();
  }

  @Test
  void aCommandThatNobodyWaitsForHasNoReply() {
    assertThat(hex(false, DIRECT, Reply.None.INSTANCE)).isEmpty();
  }

  @Test
  void anErrorHasSeverityMessageAndHintAsTerminatedStrings() {
    ByteBuf out = Unpooled.buffer();
    new ReplyEncoder().error(out, false, DIRECT, true, "no", "do");
    assertThat(ByteBufUtil.hexDump(out))
        .isEqualTo("45" + "00000014" + "53" + "464154414c00" + "4d" + "6e6f00" + "48646f00" + "00");
    out.clear();
    new ReplyEncoder().error(out, true, (short) 0x0102, false, "\u00fc", "");
    assertThat(ByteBufUtil.hexDump(out))
        .isEqualTo("45" + "00000012" + "0201" + "53" + "4552524f5200" + "4d" + "c3bc00" + "00");
  }

  @Test
  void aRejectionIsAnError() {
    Reply reply = new Reply.Rejected(Reply.Reason.NO_SUCH_GID, "m", "h");
    assertThat(hex(false, DIRECT, reply)).isEqualTo("4500000012534552524f52004d6d0048680000");
  }
}
