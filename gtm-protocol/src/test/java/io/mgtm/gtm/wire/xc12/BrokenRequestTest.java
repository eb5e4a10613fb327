package io.mgtm.gtm.wire.xc12;

import static io.mgtm.gtm.wire.xc12.RequestFrame.command;
import static io.mgtm.gtm.wire.xc12.RequestFrame.concat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RecordedRequests.Event;
import io.mgtm.gtm.wire.xc12.SampleRequests.Sample;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that break the rules, one rule at a time. */
class BrokenRequestTest {
  private static final int BACKEND = 9;

  static List<Sample> samples() {
    return SampleRequests.all(Command.NO_BACKEND);
  }

  /** Fields that break a rule, and what the error says. */
  static List<Arguments> brokenFields() {
    return Stream.of(
            brokenTransactions(),
            brokenCounts(),
            brokenSequences(),
            brokenNodes(),
            brokenBarriers())
        .flatMap(List::stream)
        .toList();
  }

  private static RequestFrame c(MessageType type) {
    return command(type);
  }

  private static List<Arguments> brokenTransactions() {
    MessageType start = MessageType.TXN_START_PREPARED;
    return List.of(
        arguments(c(MessageType.TXN_BEGIN).be32(2).u8(0), "unknown isolation level 2"),
        arguments(c(MessageType.TXN_BEGIN).be32(-1).u8(0), "unknown isolation level -1"),
        arguments(c(start).gxid(5).be32(-1), "the length of its GID is -1, allowed is 0 to 255"),
        arguments(c(start).gxid(5).be32(256), "the length of its GID is 256, allowed is 0 to 255"),
        arguments(c(start).gxid(5).be32(0x7fffffff), "the length of its GID is 2147483647"),
        arguments(c(start).gxid(5).be32(3).text("ab"), "ends too early"),
        arguments(c(start).gxid(5).string("a\0b").string(""), "the GID has a zero byte"),
        arguments(c(start).gxid(5).string("g").string("n\0"), "the node list has a zero byte"),
        arguments(
            c(start).gxid(5).string("g").be32(1_024),
            "the length of its node list is 1024, allowed is 0 to 1023"));
  }

  private static List<Arguments> brokenCounts() {
    MessageType commit = MessageType.TXN_COMMIT_MULTI;
    MessageType begin = MessageType.TXN_BEGIN_GETGXID_MULTI;
    MessageType snapshot = MessageType.SNAPSHOT_GET_MULTI;
    return List.of(
        arguments(c(commit).be32(0), "it counts 0 items, allowed is 1 to 4096"),
        arguments(c(commit).be32(-1), "it counts -1 items"),
        arguments(c(commit).be32(4_097), "it counts 4097 items"),
        arguments(c(commit).be32(0x7fffffff), "it counts 2147483647 items"),
        arguments(c(commit).be32(4_096).gxid(1), "counts 4096 items, and has bytes for fewer"),
        arguments(c(commit).be32(2).gxid(1).u8(1).u8(1).u8(1).u8(1), "has bytes for fewer"),
        arguments(c(commit).be32(1).gxid(1).gxid(2), "5 bytes too many"),
        arguments(c(begin).be32(2).be32(1).u8(0).be16(1), "has bytes for fewer"),
        arguments(c(begin).be32(1).be32(1).u8(0).be16(1).be16(1).be16(1), "4 bytes too many"),
        arguments(c(begin).be32(1).be32(3).u8(0).be16(1), "unknown isolation level 3"),
        arguments(c(begin).be32(0x40000000).be32(1), "it counts 1073741824 items"),
        arguments(c(snapshot).be32(0), "it counts 0 items"),
        arguments(c(snapshot).be32(3).gxid(1).gxid(2), "has bytes for fewer"));
  }

  private static List<Arguments> brokenSequences() {
    MessageType next = MessageType.SEQUENCE_GET_NEXT;
    return List.of(
        arguments(c(next).string("db.s"), "the sequence key \"db.s\" is empty or not terminated"),
        arguments(c(next).string("a\0b\0"), "is empty or not terminated"),
        arguments(c(next).string("\0"), "is empty or not terminated"),
        arguments(c(next).string(""), "is empty or not terminated"),
        arguments(c(next).be32(1_025), "sequence key is 1025, allowed is 0 to 1024"),
        arguments(c(next).be32(-7), "sequence key is -7"),
        arguments(c(MessageType.SEQUENCE_CLOSE).key("db").le32(2), "unknown sequence key type 2"),
        arguments(
            c(MessageType.SEQUENCE_RENAME).key("db.s").string("db.t"), "\"db.t\" is empty or not"),
        arguments(c(MessageType.SEQUENCE_INIT).key("s").le64(1), "ends too early"));
  }

  private static RequestFrame node(int type, String name, String host, int port, String folder) {
    return c(MessageType.NODE_REGISTER)
        .le32(type)
        .string(name)
        .string(host)
        .le32(port)
        .string("")
        .string(folder)
        .le32(0);
  }

  private static List<Arguments> brokenNodes() {
    String long1024 = "x".repeat(1_024);
    return List.of(
        arguments(node(0, "n", "h", 1, "/d"), "unknown node type 0"),
        arguments(node(7, "n", "h", 1, "/d"), "unknown node type 7"),
        arguments(node(4, "", "h", 1, "/d"), "the node name is empty"),
        arguments(node(4, "a\nb", "h", 1, "/d"), "node name \"a\\u000ab\" has a control character"),
        arguments(node(4, "n", "h\u007f", 1, "/d"), "the host \"h\\u007f\" has a control"),
        arguments(node(4, "n", "h", 65_536, "/d"), "65536 is no TCP port"),
        arguments(node(4, "n", "h", -1, "/d"), "4294967295 is no TCP port"),
        arguments(node(4, "n", "h", 1, "x".repeat(995)), "take 1025 bytes together"),
        arguments(node(4, long1024 + "x", "h", 1, ""), "node name is 1025, allowed is 0 to 1024"),
        arguments(node(4, "n", "h", 1, "/d\0"), "data folder \"/d\" has a control character"),
        arguments(c(MessageType.NODE_UNREGISTER).le32(9).string("n"), "unknown node type 9"),
        arguments(c(MessageType.BACKEND_DISCONNECT).u8(1).le32(9).string("n"), "node type 9"),
        arguments(c(MessageType.BACKEND_DISCONNECT).u8(0).le32(3).string("n"), "9 bytes too many"));
  }

  private static List<Arguments> brokenBarriers() {
    return List.of(
        arguments(c(MessageType.BARRIER).string(""), "the barrier id is empty"),
        arguments(c(MessageType.BARRIER).string("\0b"), "the barrier id is empty"),
        arguments(c(MessageType.BARRIER).string("b\tc"), "barrier id \"b\\u0009c\" has a control"),
        arguments(c(MessageType.BARRIER).be32(1_025), "barrier id is 1025"));
  }

  @ParameterizedTest
  @MethodSource("brokenFields")
  void aDirectClientIsToldAndClosed(RequestFrame frame, String message) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(3);
    assertThatThrownBy(() -> requests.feed(frame.bytes()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(message);
    assertThat(requests.events).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("brokenFields")
  void aBackendBehindAProxyIsToldAndTheOthersGoOn(RequestFrame frame, String message)
      throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(1);
    byte[] broken = RequestFrame.of('C').le16(BACKEND).raw(frame.body()).bytes();
    byte[] next = RequestFrame.proxied(BACKEND + 1, MessageType.NODE_LIST).bytes();
    List<Event> events = requests.feed(concat(broken, next)).events;
    assertThat(events).hasSize(2);
    assertThat(events.get(0).kind()).isEqualTo("refused");
    assertThat(events.get(0).backend()).isEqualTo((short) BACKEND);
    assertThat((String) events.get(0).value()).contains(message);
    assertThat(events.get(1).type()).isEqualTo(MessageType.NODE_LIST);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void bytesTooManyAreRefused(Sample sample) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(3);
    byte[] frame = command(sample.type()).raw(sample.fields()).u8(0).bytes();
    assertThatThrownBy(() -> requests.feed(frame))
        .isInstanceOf(WireException.class)
        .hasMessageMatching(
            isWideBegin(sample) ? "unknown isolation level 196608" : ".*: 1 bytes too many");
  }

  @ParameterizedTest
  @MethodSource("samples")
  void aBodyThatEndsTooEarlyIsRefused(Sample sample) throws WireException {
    for (int bytes = 0; bytes < sample.fields().length; bytes++) {
      if (isWideBegin(sample) && bytes == 4 + 2 * 7) {
        continue; // This happens to be a group of two with 16-bit backends.
      }
      byte[] cut = Arrays.copyOf(sample.fields(), bytes);
      RecordedRequests requests = RecordedRequests.startedBy(3);
      assertThatThrownBy(() -> requests.feed(command(sample.type()).raw(cut).bytes()))
          .as("%d of %d bytes", bytes, sample.fields().length)
          .isInstanceOf(WireException.class);
      assertThat(requests.events).isEmpty();
    }
  }

  /** The group of two with 32-bit backends; only its exact length tells it from one with 16. */
  private static boolean isWideBegin(Sample sample) {
    return sample.type() == MessageType.TXN_BEGIN_GETGXID_MULTI
        && sample.fields().length == 4 + 2 * 9;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 64 * 1024})
  void anAbsurdFrameLengthIsRefusedBeforeMoreIsRead(int length) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(3);
    assertThatThrownBy(() -> requests.feed(RequestFrame.of('C').bytes(length)))
        .isInstanceOf(WireException.class)
        .hasMessage("the length of a frame is " + length + ", allowed is 4 to 65535");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 63, 9_999, 10_000, 10_003, 10_016, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void anUnknownMessageTypeIsRefused(int code) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(3);
    assertThatThrownBy(() -> requests.feed(RequestFrame.of('C').be32(code).bytes()))
        .isInstanceOf(WireException.class)
        .hasMessage("invalid command type " + code);
  }

  @Test
  void typesThatNoCommandHasAreRefused() throws WireException {
    for (MessageType type : List.of(MessageType.INVALID, MessageType.DATA_FLUSH)) {
      RecordedRequests requests = RecordedRequests.startedBy(3);
      assertThatThrownBy(() -> requests.feed(command(type).bytes()))
          .isInstanceOf(WireException.class)
          .hasMessage("invalid command type " + type.code());
    }
  }

  @Test
  void aCommandWithoutAWholeTypeOrBackendIsRefused() throws WireException {
    for (int bytes = 0; bytes < 4; bytes++) {
      RecordedRequests requests = RecordedRequests.startedBy(3);
      byte[] frame = RequestFrame.of('C').raw(new byte[bytes]).bytes();
      assertThatThrownBy(() -> requests.feed(frame)).isInstanceOf(WireException.class);
    }
    for (int bytes = 0; bytes < 2; bytes++) {
      RecordedRequests requests = RecordedRequests.startedBy(1);
      byte[] frame = RequestFrame.of('C').raw(new byte[bytes]).bytes();
      assertThatThrownBy(() -> requests.feed(frame)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void anyOtherFirstByteThanAStartupPacketsIsRefusedAtOnce() throws WireException {
    for (int first = 0; first < 256; first++) {
      RecordedRequests requests = new RecordedRequests();
      byte[] one = {(byte) first};
      if (first == 'A') {
        assertThat(requests.feed(one).events).isEmpty();
        continue;
      }
      assertThatThrownBy(() -> requests.feed(one))
          .isInstanceOf(WireException.class)
          .hasMessage("expecting a startup packet, received message type " + first)
          .extracting(e -> ((WireException) e).hint())
          .isEqualTo("This port speaks the GTM protocol of Postgres-XC 1.2.");
    }
  }

  @Test
  void anyUnknownFrameTypeAfterTheStartupIsRefusedAtOnce() throws WireException {
    for (int first = 0; first < 256; first++) {
      RecordedRequests requests = RecordedRequests.startedBy(3);
      byte[] one = {(byte) first};
      if (first == 'C' || first == 'F' || first == 'X') {
        assertThat(requests.feed(one).events).isEmpty();
        continue;
      }
      assertThatThrownBy(() -> requests.feed(one))
          .isInstanceOf(WireException.class)
          .hasMessage("invalid frontend message type " + first);
    }
  }

  @Test
  void aStartupPacketThatIsNoneIsRefused() {
    byte[] good = RequestFrame.startup("n", 3, false);
    byte[] body = Arrays.copyOfRange(good, 5, good.length);
    List<Arguments> cases =
        List.of(
            arguments(RequestFrame.of('A'), "its body has 0 bytes instead of 72"),
            arguments(RequestFrame.of('A').raw(Arrays.copyOf(body, 71)), "71 bytes instead of 72"),
            arguments(RequestFrame.of('A').raw(body).u8(0), "73 bytes instead of 72"));
    for (Arguments broken : cases) {
      assertThatThrownBy(
              () -> new RecordedRequests().feed(((RequestFrame) broken.get()[0]).bytes()))
          .isInstanceOf(WireException.class)
          .hasMessageContaining((String) broken.get()[1]);
    }
    for (int type : new int[] {0, 7, -1, 0x03000000}) {
      assertThatThrownBy(() -> new RecordedRequests().feed(RequestFrame.startup("n", type, false)))
          .isInstanceOf(WireException.class)
          .hasMessage("startup packet: unknown node type " + type);
    }
    assertThatThrownBy(
            () -> new RecordedRequests().feed(RequestFrame.startup("a\u001b[", 3, false)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("has a control character");
  }

  @Test
  void aFlushWithAWrongBodyIsRefused() throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(1);
    assertThatThrownBy(() -> requests.feed(RequestFrame.of('F').bytes()))
        .isInstanceOf(WireException.class);
    RecordedRequests others = RecordedRequests.startedBy(1);
    assertThatThrownBy(() -> others.feed(RequestFrame.of('F').be32(59).u8(1).bytes()))
        .isInstanceOf(WireException.class);
  }
}
