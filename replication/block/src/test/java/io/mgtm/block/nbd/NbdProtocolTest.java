package io.mgtm.block.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.wire.Newcomers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NbdProtocolTest {
  private static final int SIZE = 1 << 20;

  private final MemoryExport export = new MemoryExport(SIZE);
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new NbdHandshakeHandler(export, new NbdMeter(), NbdTls.NONE, new Newcomers()));
  private final ByteBuf received = Unpooled.buffer();

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    received.release();
    assertThat(export.clients).isZero();
  }

  private void send(ByteBuf bytes) {
    channel.writeInbound(bytes);
    channel.runPendingTasks();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      received.writeBytes(out);
      out.release();
    }
  }

  /** One byte at a time, as a network may. */
  private void drip(ByteBuf bytes) {
    while (bytes.isReadable()) {
      send(Unpooled.buffer(1).writeByte(bytes.readByte()));
    }
    bytes.release();
  }

  private static ByteBuf option(int option, byte[] data) {
    return Unpooled.buffer()
        .writeLong(Nbd.OPTION_MAGIC)
        .writeInt(option)
        .writeInt(data.length)
        .writeBytes(data);
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    buffer.release();
    return bytes;
  }

  private static byte[] named(String name, int... infos) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    ByteBuf data =
        Unpooled.buffer().writeInt(text.length).writeBytes(text).writeShort(infos.length);
    for (int info : infos) {
      data.writeShort(info);
    }
    return bytes(data);
  }

  private static byte[] queries(String name, String... queries) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    ByteBuf data =
        Unpooled.buffer().writeInt(text.length).writeBytes(text).writeInt(queries.length);
    for (String query : queries) {
      data.writeInt(query.length()).writeCharSequence(query, StandardCharsets.UTF_8);
    }
    return bytes(data);
  }

  private static ByteBuf request(int command, int flags, long cookie, long offset, long length) {
    return Unpooled.buffer()
        .writeInt(Nbd.REQUEST_MAGIC)
        .writeShort(flags)
        .writeShort(command)
        .writeLong(cookie)
        .writeLong(offset)
        .writeInt((int) length);
  }

  private void greet() {
    channel.pipeline().fireChannelActive();
    send(Unpooled.buffer().writeInt(3));
    assertThat(received.readLong()).isEqualTo(Nbd.MAGIC);
    assertThat(received.readLong()).isEqualTo(Nbd.OPTION_MAGIC);
    assertThat(received.readUnsignedShort()).isEqualTo(3);
    received.clear();
  }

  private int nextReplyType(int option) {
    assertThat(received.readLong()).isEqualTo(Nbd.OPTION_REPLY_MAGIC);
    assertThat(received.readInt()).isEqualTo(option);
    int type = received.readInt();
    received.skipBytes(received.readInt());
    return type;
  }

  private void connect(boolean structured) {
    greet();
    if (structured) {
      send(option(Nbd.OPT_STRUCTURED_REPLY, new byte[0]));
      assertThat(nextReplyType(Nbd.OPT_STRUCTURED_REPLY)).isEqualTo(Nbd.REP_ACK);
      send(option(Nbd.OPT_SET_META_CONTEXT, queries("disk", "base:allocation")));
      assertThat(nextReplyType(Nbd.OPT_SET_META_CONTEXT)).isEqualTo(Nbd.REP_META_CONTEXT);
      assertThat(nextReplyType(Nbd.OPT_SET_META_CONTEXT)).isEqualTo(Nbd.REP_ACK);
    }
    send(option(Nbd.OPT_GO, named("disk")));
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_INFO);
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_ACK);
    assertThat(export.clients).isEqualTo(1);
    received.clear();
  }

  private int simpleReply(long cookie) {
    assertThat(received.readInt()).isEqualTo(Nbd.SIMPLE_REPLY_MAGIC);
    int error = received.readInt();
    assertThat(received.readLong()).isEqualTo(cookie);
    return error;
  }

  @Test
  void negotiationAndRequestsWorkByteByByte() {
    channel.pipeline().fireChannelActive();
    drip(Unpooled.buffer().writeInt(3));
    drip(
        option(
            Nbd.OPT_GO, named("", Nbd.INFO_BLOCK_SIZE, Nbd.INFO_NAME, Nbd.INFO_DESCRIPTION, 77)));
    received.clear();
    ByteBuf write = request(Nbd.CMD_WRITE, Nbd.CMD_FLAG_FUA, 5, 4096, 1000);
    for (int i = 0; i < 1000; i++) {
      write.writeByte(i);
    }
    drip(write);
    assertThat(simpleReply(5)).isZero();
    assertThat(export.lastFua).isTrue();
    drip(request(Nbd.CMD_READ, 0, 6, 4096, 1000));
    assertThat(simpleReply(6)).isZero();
    for (int i = 0; i < 1000; i++) {
      assertThat(received.readByte()).isEqualTo((byte) i);
    }
    assertThat(received.isReadable()).isFalse();
  }

  @Test
  void theOldOptionEntersTransmissionWithZeroes() {
    channel.pipeline().fireChannelActive();
    send(Unpooled.buffer().writeInt(1));
    received.clear();
    send(option(Nbd.OPT_EXPORT_NAME, "disk".getBytes(StandardCharsets.UTF_8)));
    assertThat(received.readableBytes()).isEqualTo(10 + 124);
    assertThat(received.readLong()).isEqualTo(SIZE);
    assertThat(received.readUnsignedShort() & Nbd.SEND_DF)
        .as("DF needs structured replies")
        .isZero();
    assertThat(export.clients).isEqualTo(1);
  }

  @Test
  void unknownExportsOptionsAndSecondaryVolumesAreRefused() {
    greet();
    send(option(Nbd.OPT_GO, named("other")));
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_ERR_UNKNOWN);
    send(option(99, new byte[3]));
    assertThat(nextReplyType(99)).isEqualTo(Nbd.REP_ERR_UNSUP);
    send(option(Nbd.OPT_STARTTLS, new byte[0]));
    assertThat(nextReplyType(Nbd.OPT_STARTTLS)).isEqualTo(Nbd.REP_ERR_POLICY);
    send(option(Nbd.OPT_SET_META_CONTEXT, queries("disk", "base:allocation")));
    assertThat(nextReplyType(Nbd.OPT_SET_META_CONTEXT))
        .as("before structured replies")
        .isEqualTo(Nbd.REP_ERR_INVALID);
    export.unavailable = "secondary";
    send(option(Nbd.OPT_GO, named("disk")));
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_ERR_POLICY);
    send(option(Nbd.OPT_LIST, new byte[0]));
    assertThat(nextReplyType(Nbd.OPT_LIST)).isEqualTo(Nbd.REP_SERVER);
    assertThat(nextReplyType(Nbd.OPT_LIST)).isEqualTo(Nbd.REP_ACK);
    send(option(Nbd.OPT_ABORT, new byte[0]));
    assertThat(nextReplyType(Nbd.OPT_ABORT)).isEqualTo(Nbd.REP_ACK);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void optionsWhoseLengthsDoNotFitAreRefused() {
    greet();
    send(option(Nbd.OPT_GO, new byte[] {0, 0, 0, 50, 1}));
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_ERR_INVALID);
    send(option(Nbd.OPT_GO, new byte[] {0, 0, 0, 0, 0, 9}));
    assertThat(nextReplyType(Nbd.OPT_GO)).isEqualTo(Nbd.REP_ERR_INVALID);
    send(option(Nbd.OPT_LIST, new byte[1]));
    assertThat(nextReplyType(Nbd.OPT_LIST)).isEqualTo(Nbd.REP_ERR_INVALID);
    send(option(Nbd.OPT_STRUCTURED_REPLY, new byte[1]));
    assertThat(nextReplyType(Nbd.OPT_STRUCTURED_REPLY)).isEqualTo(Nbd.REP_ERR_INVALID);
    send(Unpooled.buffer().writeLong(Nbd.OPTION_MAGIC).writeInt(Nbd.OPT_GO).writeInt(1 << 30));
    assertThat(channel.isOpen()).as("an option of a gigabyte").isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0, 1048576, 1, 28", // a write past the end
    "1, 0, 1048575, 2, 28",
    "1, 0, -1, 2, 28",
    "0, 0, 1048575, 2, 22", // a read past the end
    "0, 0, 9223372036854775807, 2, 22",
    "0, 0, 0, 0, 22", // an empty read
    "0, 8, 0, 512, 22", // a flag that reads do not have
    "3, 0, 0, 512, 22", // a flush with a length
    "4, 0, 1048576, 512, 22",
    "6, 0, 1048576, 512, 28",
    "6, 16, 0, 512, 95", // a fast zero that is not fast
    "7, 0, 0, 512, 22", // block status not negotiated
    "9, 0, 0, 512, 22", // a command that does not exist
  })
  void badRequestsAreRefusedAndServiceGoesOn(
      int command, int flags, long offset, long length, int errno) {
    connect(false);
    ByteBuf bad = request(command, flags, 1, offset, length);
    if (command == Nbd.CMD_WRITE) {
      bad.writeZero((int) length);
    }
    send(bad);
    assertThat(simpleReply(1)).isEqualTo(errno);
    send(request(Nbd.CMD_FLUSH, 0, 2, 0, 0));
    assertThat(simpleReply(2)).isZero();
    assertThat(export.flushes).isEqualTo(1);
  }

  @Test
  void aWriteThatIsTooLongIsSkippedAndRefused() {
    connect(false);
    long length = Nbd.PAYLOAD_BYTES_MAX + 1L;
    send(request(Nbd.CMD_WRITE, 0, 1, 0, length));
    for (long sent = 0; sent < length; ) {
      int piece = (int) Math.min(1 << 20, length - sent);
      send(Unpooled.buffer(piece).writeZero(piece));
      sent += piece;
    }
    assertThat(simpleReply(1)).isEqualTo(Nbd.EINVAL);
    send(request(Nbd.CMD_FLUSH, 0, 2, 0, 0));
    assertThat(simpleReply(2)).isZero();
  }

  @Test
  void aReadOnlyExportRefusesChanges() {
    export.readOnly = true;
    connect(false);
    send(request(Nbd.CMD_TRIM, 0, 1, 0, 512));
    assertThat(simpleReply(1)).isEqualTo(Nbd.EPERM);
    send(request(Nbd.CMD_WRITE, 0, 2, 0, 4).writeInt(7));
    assertThat(simpleReply(2)).isEqualTo(Nbd.EPERM);
    assertThat(export.bytes[3]).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailedReadGivesAnErrorInsteadOfBytes(boolean atOnce) {
    export.atOnce = atOnce;
    export.failure = 5;
    connect(true);
    send(request(Nbd.CMD_READ, 0, 9, 0, 4096));
    assertThat(received.readInt()).isEqualTo(Nbd.STRUCTURED_REPLY_MAGIC);
    assertThat(received.readUnsignedShort()).isEqualTo(Nbd.REPLY_FLAG_DONE);
    assertThat(received.readUnsignedShort()).isEqualTo(Nbd.REPLY_ERROR);
    assertThat(received.readLong()).isEqualTo(9);
    int length = received.readInt();
    assertThat(received.readInt()).isEqualTo(5);
    assertThat(received.readUnsignedShort()).isEqualTo(length - 6);
    received.skipBytes(length - 6);
    assertThat(received.isReadable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReadThatFailsWhereAnotherCopyStandsInIsAnsweredFromThere(boolean atOnce) {
    export.atOnce = atOnce;
    export.breaks = true;
    export.bytes[4095] = 7;
    connect(false);
    send(request(Nbd.CMD_READ, 0, 9, 0, 4096));
    assertThat(simpleReply(9)).isZero();
    assertThat(received.readableBytes()).isEqualTo(4096);
    assertThat(received.getByte(received.readerIndex() + 4095)).isEqualTo((byte) 7);
    received.clear();
    send(request(Nbd.CMD_READ, 0, 10, 4095, 1));
    assertThat(simpleReply(10)).isZero();
    assertThat(received.readByte()).isEqualTo((byte) 7);
    assertThat(export.reads).hasValue(3);
  }

  @Test
  void blockStatusTellsDataAndHoles() {
    connect(true);
    send(request(Nbd.CMD_BLOCK_STATUS, 0, 3, SIZE / 2 - 4096, 8192));
    assertThat(received.readInt()).isEqualTo(Nbd.STRUCTURED_REPLY_MAGIC);
    received.skipBytes(2);
    assertThat(received.readUnsignedShort()).isEqualTo(Nbd.REPLY_BLOCK_STATUS);
    received.skipBytes(8);
    assertThat(received.readInt()).isEqualTo(4 + 16);
    received.skipBytes(4);
    assertThat(received.readInt()).isEqualTo(4096);
    assertThat(received.readInt()).isZero();
    assertThat(received.readInt()).isEqualTo(4096);
    assertThat(received.readInt()).isEqualTo(3);
    received.clear();
    send(request(Nbd.CMD_BLOCK_STATUS, Nbd.CMD_FLAG_REQ_ONE, 4, SIZE / 2 - 4096, 8192));
    assertThat(received.readableBytes()).isEqualTo(20 + 4 + 8);
  }

  @Test
  void blockStatusOfAFragmentedFileTellsABoundedNumberOfExtents() {
    connect(true);
    export.extentBytes = 16;
    send(request(Nbd.CMD_BLOCK_STATUS, 0, 3, 0, SIZE));
    assertThat(received.readableBytes()).isEqualTo(20 + 4 + 32 * 8);
    assertThat(export.extentsAsked).isEqualTo(32);
    received.clear();
    send(request(Nbd.CMD_BLOCK_STATUS, 0, 4, 32 * 16, 64));
    assertThat(received.readableBytes()).as("the client goes on").isEqualTo(20 + 4 + 4 * 8);
  }

  @Test
  void requestsUnderWayAreBoundedByNotReading() {
    connect(false);
    export.holding = true;
    for (int i = 0; i < 1024; i++) {
      send(request(Nbd.CMD_FLUSH, 0, i, 0, 0));
    }
    assertThat(channel.config().isAutoRead()).isFalse();
    export.answerAll();
    channel.runPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void answersThatComeAfterTheClientLeftAreDropped() {
    connect(false);
    export.holding = true;
    send(request(Nbd.CMD_WRITE, 0, 1, 0, 4).writeInt(7));
    assertThat(channel.close().isDone()).isTrue();
    channel.runPendingTasks();
    export.answerAll();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void rubbishInPlaceOfARequestEndsTheConnection() {
    connect(false);
    send(Unpooled.buffer().writeZero(28));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void randomStreamsNeverDoMoreThanEndTheConnection() {
    for (long seed = 0; seed < 3000; seed++) {
      NbdFuzzTest.feed(stream(new Random(seed)));
    }
  }

  /** A valid conversation with some bytes changed. */
  private static byte[] stream(Random random) {
    ByteBuf all = Unpooled.buffer();
    all.writeInt(3);
    all.writeBytes(option(Nbd.OPT_STRUCTURED_REPLY, new byte[0]));
    all.writeBytes(option(Nbd.OPT_SET_META_CONTEXT, queries("disk", "base:allocation")));
    all.writeBytes(option(Nbd.OPT_GO, named("disk", 3)));
    for (int i = 0; i < 20; i++) {
      int length = random.nextInt(9000);
      int command = random.nextInt(8);
      all.writeBytes(
          request(command == 2 ? 3 : command, random.nextInt(4), i, random.nextInt(SIZE), length));
      if (command == 1) {
        all.writeZero(length);
      }
    }
    byte[] bytes = bytes(all);
    for (int i = random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(random.nextBoolean() ? 200 : bytes.length)] ^=
          (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }
}
