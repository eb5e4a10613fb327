package io.mgtm.query.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameSplitterTest {
  private static final ByteBufAllocator HEAP = UnpooledByteBufAllocator.DEFAULT;
  private static final int HELD_MAX = 70_000;
  private static final long SEED = Long.getLong("seed", 20_261_122L);

  private static ByteBuf message(char type, int bodyBytes) {
    return Unpooled.buffer().writeByte(type).writeInt(4 + bodyBytes).writeZero(bodyBytes);
  }

  private static ByteBuf all(ByteBuf... messages) {
    return Unpooled.copiedBuffer(messages);
  }

  /** What a server may send, with rows one after the other and alone. */
  private static ByteBuf answers() {
    return all(
        message('T', 30),
        message('D', 0),
        message('D', 100),
        message('D', 3),
        message('C', 8),
        message('D', 1),
        message('d', 7),
        message('d', 0),
        message('Z', 1));
  }

  /** Feeds it in pieces of so many bytes; the bytes and the number of messages must come again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 64, 1000})
  void whateverThePiecesNothingIsLostAndEveryMessageEndsOnce(int pieceBytes) {
    ByteBuf sent = answers();
    EmbeddedChannel channel =
        new EmbeddedChannel(new ServerDecoder(FrameSplitter.Sender.SERVER, HELD_MAX, false));
    ByteBuf came = Unpooled.buffer();
    StringBuilder types = new StringBuilder();
    for (ByteBuf rest = sent.slice(); rest.isReadable(); ) {
      channel.writeInbound(rest.readRetainedSlice(Math.min(pieceBytes, rest.readableBytes())));
      for (Frame frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
        types.append(String.valueOf(frame.type()).repeat(frame.ends()));
        came.writeBytes(frame.content());
        frame.release();
      }
    }
    assertThat(types).hasToString("TDDDCDddZ");
    assertThat(came).isEqualTo(sent);
    channel.finishAndReleaseAll();
  }

  @Test
  void rowsThatCameTogetherGoTogether() {
    FrameSplitter splitter = new FrameSplitter(FrameSplitter.Sender.SERVER, HELD_MAX);
    ByteBuf in = all(message('D', 4), message('D', 4), message('C', 2));
    Frame rows = splitter.next(in);
    assertThat(rows.ends()).isEqualTo(2);
    assertThat(rows.content().readableBytes()).isEqualTo(18);
    assertThat(splitter.next(in).type()).isEqualTo('C');
    assertThat(splitter.next(in)).isNull();
  }

  @Test
  void aRowOfAnyLengthIsNotHeld() {
    FrameSplitter splitter = new FrameSplitter(FrameSplitter.Sender.SERVER, HELD_MAX);
    ByteBuf in = Unpooled.buffer().writeByte('D').writeInt(FrameSplitter.LARGE_BYTES_MAX);
    assertThat(splitter.next(in).ends()).isZero();
    assertThat(splitter.next(in.writeZero(10)).content().readableBytes()).isEqualTo(10);
    FrameSplitter holding = new FrameSplitter(FrameSplitter.Sender.SERVER_HELD, HELD_MAX);
    assertThatThrownBy(() -> holding.next(message('D', HELD_MAX)))
        .isInstanceOfSatisfying(
            WireException.class,
            e -> assertThat(e.sqlState()).isEqualTo(WireException.LIMIT_EXCEEDED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Q | 3          | 08P01 | invalid length 3 of a message of type Q
          Q | -1         | 08P01 | invalid length -1
          Q | 70001      | 54000 | a message of type Q has 70001 bytes, at most 70000 are taken
          S | 65536      | 54000 | at most 65535 are taken
          d | 1073741824 | 54000 | at most 1073741823 are taken
          T | 4          | 08P01 | invalid message type 84
          """)
  void theHeaderAloneIsEnoughToRefuse(char type, int length, String sqlState, String message) {
    FrameSplitter splitter = new FrameSplitter(FrameSplitter.Sender.CLIENT, HELD_MAX);
    ByteBuf in = Unpooled.buffer().writeByte(type).writeInt(length);
    assertThatThrownBy(() -> splitter.next(in))
        .isInstanceOfSatisfying(
            WireException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState))
        .hasMessageContaining(message);
  }

  private static List<Object> read(ByteBuf bytes) {
    EmbeddedChannel channel = new EmbeddedChannel(new ClientDecoder(HELD_MAX));
    channel.writeInbound(bytes);
    List<Object> all = new ArrayList<>();
    for (Object one = channel.readInbound(); one != null; one = channel.readInbound()) {
      all.add(one);
    }
    channel.finishAndReleaseAll();
    return all;
  }

  @Test
  void startupPacketsAreRead() throws Exception {
    assertThat(read(Messages.sslRequest(HEAP))).containsExactly(new StartupPacket.Ssl());
    assertThat(read(Messages.cancelRequest(HEAP, 7, -9)))
        .containsExactly(new StartupPacket.Cancel(7, -9));
    for (String client : List.of("10.1.2.3", "2001:db8::1")) {
      StartupPacket.Forward says = new StartupPacket.Forward("q1", InetAddress.getByName(client));
      assertThat(read(Messages.forward(HEAP, says))).containsExactly(says);
    }
    StartupPacket.Forward leaves = new StartupPacket.Forward("q1", null);
    assertThat(read(Messages.forward(HEAP, leaves))).containsExactly(leaves);
    assertThat(read(Messages.proof(HEAP, "ab"))).containsExactly(new StartupPacket.Proof("ab"));
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("user", "zoë");
    parameters.put("_pq_.new", "1");
    parameters.put("options", "");
    ByteBuf packet = Messages.startup(HEAP, parameters);
    packet.setInt(4, StartupPacket.VERSION_3 + 2);
    parameters.remove("_pq_.new");
    List<Object> got = read(packet.writeBytes(message('S', 0)));
    assertThat(got.get(0)).isEqualTo(new StartupPacket.Start(2, parameters, List.of("_pq_.new")));
    assertThat(((Frame) got.get(1)).type()).isEqualTo('S');
  }

  @Test
  void nothingIsTakenFromTheClearOnceEncryptionWasAskedFor() {
    ByteBuf both =
        Messages.sslRequest(HEAP).writeBytes(Messages.startup(HEAP, Map.of("user", "a")));
    assertThatThrownBy(() -> read(both)).hasMessageContaining("unencrypted data");
    ByteBuf early = Messages.proof(HEAP, "ab").writeBytes(Messages.startup(HEAP, Map.of()));
    assertThatThrownBy(() -> read(early)).hasMessageContaining("unencrypted data");
    ByteBuf odd = Messages.forward(HEAP, new StartupPacket.Forward("q1", null)).writeByte(1);
    odd.setInt(0, odd.readableBytes());
    assertThatThrownBy(() -> read(odd)).hasMessageContaining("invalid length of an address");
    EmbeddedChannel server =
        new EmbeddedChannel(new ServerDecoder(FrameSplitter.Sender.SERVER, HELD_MAX, true));
    assertThatThrownBy(() -> server.writeInbound(Unpooled.wrappedBuffer(new byte[] {'S', 'x'})))
        .hasMessageContaining("unencrypted data");
  }

  @Test
  void errorsComeBackAsTheyWereMade() {
    ErrorFields fields = new ErrorFields("FATAL", "0A000", "cannot: ü", "do this");
    ByteBuf bytes = Messages.error(HEAP, fields);
    Frame frame = new FrameSplitter(FrameSplitter.Sender.SERVER, HELD_MAX).next(bytes);
    assertThat(ErrorFields.read(frame.body())).isEqualTo(fields);
    assertThatThrownBy(() -> ErrorFields.read(Unpooled.wrappedBuffer(new byte[] {'M', 'x'})))
        .isInstanceOf(WireException.class);
  }

  /** Damaged streams are decoded, wait for more, or are refused by name; nothing else happens. */
  @Test
  void damagedStreamsAreRefusedByNameAndNothingLeaks() {
    Random random = new Random(SEED);
    for (int round = 0; round < 4_000; round++) {
      boolean fromClient = random.nextBoolean();
      ByteBuf bytes =
          fromClient
              ? Messages.startup(HEAP, Map.of("user", "a", "x", "y"))
                  .writeBytes(all(message('Q', 9), message('d', 40), message('S', 0)))
              : answers();
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes.setByte(random.nextInt(bytes.writerIndex()), random.nextInt(256));
      }
      bytes.writerIndex(random.nextInt(bytes.writerIndex() + 1));
      feed(random, fromClient, bytes, round);
      assertThat(bytes.refCnt()).as("seed %d, round %d", SEED, round).isEqualTo(1);
      bytes.release();
    }
  }

  private static void feed(Random random, boolean fromClient, ByteBuf bytes, int round) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            fromClient
                ? new ClientDecoder(HELD_MAX)
                : new ServerDecoder(FrameSplitter.Sender.SERVER, HELD_MAX, false));
    try {
      while (bytes.isReadable()) {
        int count = 1 + random.nextInt(bytes.readableBytes());
        channel.writeInbound(bytes.readRetainedSlice(count));
      }
      channel.checkException();
    } catch (DecoderException e) {
      assertThat(e).as("seed %d, round %d", SEED, round).isInstanceOf(WireException.class);
    } finally {
      try {
        channel.finishAndReleaseAll();
      } catch (DecoderException e) {
        assertThat(e).isInstanceOf(WireException.class);
      }
    }
  }
}
