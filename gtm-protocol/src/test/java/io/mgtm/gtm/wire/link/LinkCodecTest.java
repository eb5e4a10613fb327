package io.mgtm.gtm.wire.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The frames between gateways and nodes. */
class LinkCodecTest {
  private static final long SESSION = LinkFormat.SESSION_BIT | 7;
  private static final String SESSION_HEX = "4000000000000007";
  private static final int LIMIT = 1_000;

  private static ByteBuf fromGateway() {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, "p-1", GatewayKind.NODE);
    LinkWriter.auth(out, new byte[LinkFormat.SECRET_BYTES]);
    LinkWriter.attach(out, SESSION, true, 5, true);
    CommandsWriter commands = new CommandsWriter();
    commands.begin(out, SESSION, 3, 4);
    commands.add((short) 9, new SequenceCommand.NextValue("s"));
    commands.add((short) -1, new TransactionCommand.GetNextGxid());
    commands.add((short) 2, new TransactionCommand.End(TransactionRef.gxid(6), Outcome.COMMIT));
    commands.end();
    LinkWriter.close(out, SESSION);
    LinkWriter.ping(out, 11);
    LinkWriter.pull(out, 6, true);
    LinkWriter.pull(out, 6, false);
    LinkWriter.present(out, new LinkEntries(3, 8, 7, List.of(new byte[] {1, 2}, new byte[] {3})));
    LinkWriter.admin(out, 12, "transfer", "g2");
    return out;
  }

  private static ByteBuf fromNode() {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.challenge(out, new byte[LinkFormat.SECRET_BYTES]);
    LinkWriter.leadership(out, new Leadership(true, 3, "g1", "g1", "h:1", new UUID(5, 6)), 4);
    LinkWriter.leadership(out, new Leadership(false, 0, "g1", "", "", null), 4);
    LinkWriter.attached(out, SESSION, 4);
    LinkWriter.refused(out, 0, RefusalCode.NOT_LEADING, "nicht führend", "wait");
    RepliesWriter replies = new RepliesWriter();
    ReplyEncoder xc = new ReplyEncoder();
    replies.begin(out, SESSION, 4);
    replies.beginReply();
    xc.encode(out, false, (short) 0, new SequenceReply.Value(CommandType.NEXT_VALUE, "s", 8));
    replies.endReply(false);
    replies.beginReply();
    replies.endReply(true);
    replies.pieces(6, 3);
    replies.end();
    LinkWriter.piece(out, 6, to -> to.writeMedium(0x010203));
    LinkWriter.piece(out, 7, to -> {});
    LinkWriter.pong(out, 11);
    LinkWriter.entries(out, new LinkEntries(3, 8, 5, List.of(new byte[] {9})));
    LinkWriter.adminReply(out, 12, AdminReplyKind.PIECE, new byte[] {1, 2});
    return out;
  }

  private static final List<String> FRONT_EVENTS =
      List.of(
          "version 5",
          "hello p-1 NODE",
          "auth " + "00".repeat(32),
          "attach " + SESSION_HEX + " true 5 true",
          "commands "
              + SESSION_HEX
              + " 3 4 [LinkCommand[backend=9, command=NextValue[key=s]],"
              + " LinkCommand[backend=-1, command=GetNextGxid[]],"
              + " LinkCommand[backend=2, command=End[transaction=gxid 6, outcome=COMMIT]]]",
          "close " + SESSION_HEX,
          "ping 11",
          "pull 6 true",
          "pull 6 false",
          "present 3 8 7 [0102, 03]",
          "admin 12 transfer g2");

  private static final List<String> NODE_EVENTS =
      List.of(
          "challenge " + "00".repeat(32),
          "Leadership[leading=true, term=3, member=g1, leader=g1, leaderAddress=h:1, group=00000000-0000-0005-0000-000000000006]",
          "Leadership[leading=false, term=0, member=g1, leader=, leaderAddress=, group=null]",
          "attached " + SESSION_HEX + " 4",
          "refused 0 NOT_LEADING nicht führend wait",
          "reply " + SESSION_HEX + " 4 false 530000001500000013000000017308000000" + "00000000",
          "reply " + SESSION_HEX + " 5 true ",
          "pieces " + SESSION_HEX + " 6 6 of 3",
          "replies end",
          "piece 6 010203",
          "piece 7 ",
          "pong 11",
          "entries 3 8 5 [09]",
          "admin reply 12 PIECE 0102");

  @Test
  void whatAGatewaySendsComesBackAsItWas() throws WireException {
    RecordedFrames frames = new RecordedFrames();
    ByteBuf in = fromGateway();
    new GatewayFrameDecoder(LIMIT, frames).decode(in);
    assertThat(frames.events).isEqualTo(FRONT_EVENTS);
    assertThat(in.isReadable()).isFalse();
  }

  @Test
  void whatANodeSendsComesBackAsItWas() throws WireException {
    RecordedFrames frames = new RecordedFrames();
    ByteBuf in = fromNode();
    new NodeFrameDecoder(LIMIT, frames).decode(in);
    assertThat(frames.events.subList(0, 5)).isEqualTo(NODE_EVENTS.subList(0, 5));
    assertThat(frames.events.subList(6, 14)).isEqualTo(NODE_EVENTS.subList(6, 14));
    ByteBuf xc = Unpooled.buffer();
    new ReplyEncoder()
        .encode(xc, false, (short) 0, new SequenceReply.Value(CommandType.NEXT_VALUE, "s", 8));
    assertThat(frames.events.get(5))
        .isEqualTo("reply " + SESSION_HEX + " 4 false " + ByteBufUtil.hexDump(xc));
    assertThat(in.isReadable()).isFalse();
  }

  @Test
  void bytesMayComeOneByOne() throws WireException {
    RecordedFrames gateway = new RecordedFrames();
    GatewayFrameDecoder gatewayDecoder = new GatewayFrameDecoder(LIMIT, gateway);
    feed(fromGateway(), gatewayDecoder::decode);
    assertThat(gateway.events).isEqualTo(FRONT_EVENTS);
    RecordedFrames node = new RecordedFrames();
    NodeFrameDecoder nodeDecoder = new NodeFrameDecoder(LIMIT, node);
    feed(fromNode(), nodeDecoder::decode);
    assertThat(node.events).hasSameSizeAs(NODE_EVENTS).contains("pong 11", "replies end");
  }

  /** Decodes what it can. */
  private interface Decoder {
    void decode(ByteBuf in) throws WireException;
  }

  private static void feed(ByteBuf bytes, Decoder decoder) throws WireException {
    ByteBuf cumulated = Unpooled.buffer();
    while (bytes.isReadable()) {
      cumulated.writeByte(bytes.readByte());
      decoder.decode(cumulated);
    }
    assertThat(cumulated.isReadable()).isFalse();
  }

  @Test
  void framesKeepTheirBytesForEver() {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, 2);
    LinkWriter.attach(out, SESSION, true, 5, false);
    CommandsWriter commands = new CommandsWriter();
    commands.begin(out, SESSION, 3, 4);
    commands.add((short) 9, new SequenceCommand.NextValue("s"));
    commands.end();
    LinkWriter.leadership(out, new Leadership(true, 3, "g1", "g2", "h:1", new UUID(5, 6)), 3);
    assertThat(ByteBufUtil.hexDump(out))
        .isEqualTo(
            ("4d47544d 0002 0000"
                    + " 00000013 03"
                    + SESSION_HEX
                    + " 01 0000000000000005 00"
                    + " 00000023 04"
                    + SESSION_HEX
                    + " 0000000000000003 0000000000000004 00000001 0009 29 0001 73"
                    + " 00000017 42 01 0000000000000003 0002 6731 0002 6732 0003 683a31")
                .replace(" ", ""));
  }

  private static void refuses(String frames, String message) {
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(frames.replace(" ", "")));
    ByteBuf whole = Unpooled.buffer();
    LinkWriter.preface(whole, LinkFormat.VERSION);
    whole.writeBytes(in);
    assertThatThrownBy(() -> new GatewayFrameDecoder(LIMIT, new RecordedFrames()).decode(whole))
        .as(frames)
        .isInstanceOf(WireException.class)
        .hasMessageContaining(message);
  }

  @Test
  void brokenFramesOfGatewaysAreRefused() {
    refuses("00000000 01", "a frame of 0 bytes");
    refuses("ffffffff 01", "a frame of -1 bytes");
    refuses("000003e9 01", "a frame of 1001 bytes; allowed are 1 to 1000");
    refuses("00000001 00", "unknown type 0");
    refuses("00000001 ff", "unknown type 255");
    refuses("00000001 45", "unknown type 69");
    refuses("00000001 01", "HELLO: it ends too early");
    refuses("00000006 01 0002 7031 07", "unknown kind of gateway 7");
    refuses("00000006 01 0002 2031 00", "is no name");
    refuses("00000004 01 0000 00", "is no name");
    refuses("00000003 01 ffff", "allowed are 63");
    refuses("00000007 01 0002 7031 00 00", "1 bytes too many");
    refuses("00000009 05 0000000000000007", "7 is no id of a session");
    refuses("00000009 05 c000000000000007", "is no id of a session");
    refuses("00000013 03" + SESSION_HEX + "02 0000000000000005 00", "neither true nor false");
    refuses("00000013 03" + SESSION_HEX + "01 8000000000000005 00", "acked is -");
    String eight = "0000000000000008";
    refuses("00000022 08" + eight + eight + eight + "00000001 00000003 01", "PRESENT: it");
    refuses("0000001d 08" + eight + eight + eight + "00000001", "it counts 1 entries");
    refuses("0000001d 08" + eight + eight + eight + "ffffffff", "it counts -1 entries");
    refuses("0000001d 08" + eight + "00".repeat(8) + eight + "00000000", "begins with entry 0");
    refuses("0000001d 08" + "ff".repeat(8) + eight + eight + "00000000", "term is -1");
    String head = "04" + SESSION_HEX;
    refuses("00000023" + head + "0000000000000004 0000000000000004 00000001 0009 29000173", "4");
    refuses("00000023" + head + "0000000000000000 0000000000000000 00000001 0009 29000173", "0");
    refuses("00000023" + head + "0000000000000003 0000000000000004 00000000 0009 29000173", "0");
    refuses(
        "00000023" + head + "0000000000000003 0000000000000004 7fffffff 0009 29000173",
        "it counts 2147483647 commands");
    refuses(
        "00000023" + head + "0000000000000003 0000000000000004 00000002 0009 29000173",
        "COMMANDS: it");
    refuses(
        "00000023" + head + "0000000000000003 0000000000000004 00000001 0009 29000273",
        "it ends within a command");
    refuses(
        "00000023" + head + "0000000000000003 0000000000000004 00000001 0009 29000073",
        "1 bytes too many");
    refuses(
        "00000023" + head + "0000000000000003 0000000000000004 00000001 0009 7f000173",
        "unknown command code 127");
  }

  @Test
  void damagedStreamsSayTheSameHoweverTheyAreCut() {
    Random random = new Random(42);
    int broken = 0;
    for (int round = 0; round < 4_000; round++) {
      boolean gateway = random.nextBoolean();
      ByteBuf stream = gateway ? fromGateway() : fromNode();
      for (int flips = random.nextInt(3); flips >= 0; flips--) {
        stream.setByte(random.nextInt(stream.readableBytes()), random.nextInt(256));
      }
      List<ByteBuf> parts = new ArrayList<>();
      for (int at = 0; at < stream.readableBytes(); ) {
        int length = Math.min(1 + random.nextInt(40), stream.readableBytes() - at);
        parts.add(stream.slice(at, length));
        at += length;
      }
      List<String> whole =
          gateway
              ? LinkStreams.ofGateway(LIMIT, List.of(stream))
              : LinkStreams.ofNode(LIMIT, List.of(stream));
      assertThat(gateway ? LinkStreams.ofGateway(LIMIT, parts) : LinkStreams.ofNode(LIMIT, parts))
          .as("round %d", round)
          .isEqualTo(whole);
      broken += whole.toString().contains("broken: ") ? 1 : 0;
    }
    assertThat(broken).isBetween(1_000, 3_900);
  }

  @Test
  void otherProtocolsAreRefused() {
    for (String start :
        List.of(
            "4d47544e 0001 0000",
            "4d47544d 0006 0000",
            "4d47544d 0000 0000",
            "4d47544d 0001 0001")) {
      ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(start.replace(" ", "")));
      assertThatThrownBy(() -> new GatewayFrameDecoder(LIMIT, new RecordedFrames()).decode(in))
          .isInstanceOf(WireException.class)
          .hasMessageStartingWith("a link ");
    }
  }

  @Test
  void brokenFramesOfNodesAreRefused() {
    for (String frame :
        List.of(
            "00000001 01",
            "0000000a 44 0000000000000000 09",
            "0000000a 47 0000000000000000 09",
            "00000015 45 " + SESSION_HEX + "0000000000000001 7fffffff",
            "0000001a 45 " + SESSION_HEX + "0000000000000001 00000001 00 ffffffff",
            "0000001a 45 " + SESSION_HEX + "0000000000000001 00000001 00 00000001",
            "0000001a 45 " + SESSION_HEX + "0000000000000001 00000001 03 00000000",
            "0000001a 45 " + SESSION_HEX + "0000000000000001 00000001 02 00000000")) {
      ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(frame.replace(" ", "")));
      assertThatThrownBy(() -> new NodeFrameDecoder(LIMIT, new RecordedFrames()).decode(in))
          .as(frame)
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void aLongCommandFindsRoom() throws WireException {
    ByteBuf out = Unpooled.buffer(16);
    LinkWriter.preface(out, LinkFormat.VERSION);
    CommandsWriter commands = new CommandsWriter();
    commands.begin(out, SESSION, 0, 1);
    SequenceCommand.NextValue longest = new SequenceCommand.NextValue("x".repeat(60_000));
    int bytes = commands.add((short) 1, longest);
    commands.end();
    assertThat(bytes).isEqualTo(Short.BYTES + 1 + Short.BYTES + 60_000);
    RecordedFrames frames = new RecordedFrames();
    new GatewayFrameDecoder(LinkFormat.FRAME_BYTES_MAX, frames).decode(out);
    assertThat(frames.commands).containsExactly(new LinkCommand((short) 1, longest));
  }

  @Test
  void aSecretAnswersOnlyItsOwnChallenge() {
    LinkSecret secret = new LinkSecret("s3cret");
    byte[] nonce = {1, 2, 3};
    byte[] answer = secret.answer(nonce, "p1");
    assertThat(secret.accepts(nonce, "p1", answer)).isTrue();
    assertThat(secret.accepts(new byte[] {1, 2, 4}, "p1", answer)).isFalse();
    assertThat(secret.accepts(nonce, "p2", answer)).isFalse();
    assertThat(new LinkSecret("other").accepts(nonce, "p1", answer)).isFalse();
    assertThat(secret.accepts(nonce, "p1", new byte[0])).isFalse();
  }
}
