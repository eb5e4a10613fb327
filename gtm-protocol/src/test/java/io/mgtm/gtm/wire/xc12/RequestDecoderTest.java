package io.mgtm.gtm.wire.xc12;

import static io.mgtm.gtm.wire.xc12.RequestFrame.concat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RecordedRequests.Event;
import io.mgtm.gtm.wire.xc12.SampleRequests.Sample;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole and valid frames, in whatever pieces they come. */
class RequestDecoderTest {
  private static final int BACKEND = 4_711;

  static List<Sample> direct() {
    return SampleRequests.all(Command.NO_BACKEND);
  }

  static List<Sample> proxied() {
    return SampleRequests.all(BACKEND);
  }

  @Test
  void everyTypeThatIsServedHasASample() {
    Set<MessageType> served = EnumSet.allOf(MessageType.class);
    served.removeAll(standbyOnly());
    served.removeAll(EnumSet.of(MessageType.INVALID, MessageType.DATA_FLUSH));
    assertThat(direct().stream().map(Sample::type).collect(Collectors.toSet())).isEqualTo(served);
  }

  static Set<MessageType> standbyOnly() {
    return Stream.of(MessageType.values())
        .filter(
            type ->
                type.name().startsWith("BKUP_")
                    || type == MessageType.SYNC_STANDBY
                    || type == MessageType.NODE_BEGIN_REPLICATION_INIT
                    || type == MessageType.NODE_END_REPLICATION_INIT)
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @MethodSource("direct")
  void aRequestIsDecoded(Sample sample) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(NodeType.DEFAULT.code());
    assertThat(requests.feed(sample.direct()).events)
        .containsExactly(
            new Event("command", sample.type(), Command.NO_BACKEND, sample.command(), null));
    assertThat(requests.unread()).isZero();
  }

  @ParameterizedTest
  @MethodSource("proxied")
  void aProxysRequestCarriesItsBackend(Sample sample) throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(NodeType.PROXY.code());
    assertThat(requests.feed(sample.proxied(BACKEND)).events)
        .containsExactly(
            new Event("command", sample.type(), (short) BACKEND, sample.command(), null));
  }

  private static byte[] session(boolean proxy) {
    byte[][] frames =
        Stream.concat(
                proxy
                    ? proxied().stream()
                        .flatMap(s -> Stream.of(s.proxied(BACKEND), RequestFrame.flush()))
                    : direct().stream().map(Sample::direct),
                Stream.of(RequestFrame.terminate()))
            .toArray(byte[][]::new);
    return concat(RequestFrame.startup("coord1", proxy ? 1 : 3, !proxy), concat(frames));
  }

  private static List<Event> expected(boolean proxy) throws WireException {
    List<Event> events = new RecordedRequests().feed(session(proxy)).events;
    List<Sample> samples = proxy ? proxied() : direct();
    assertThat(events).hasSize(samples.size() + 2);
    assertThat(events.get(0).value())
        .isEqualTo(new Startup("coord1", proxy ? NodeType.PROXY : NodeType.COORDINATOR, !proxy));
    assertThat(events.get(events.size() - 1).kind()).isEqualTo("terminate");
    return events;
  }

  @Test
  void manyFramesInOneReadAreAllDecoded() throws WireException {
    List<Object> commands = new RecordedRequests().feed(session(false)).commands();
    assertThat(commands).isEqualTo(direct().stream().map(Sample::command).toList());
    assertThat(new RecordedRequests().feed(session(true)).commands())
        .isEqualTo(proxied().stream().map(Sample::command).toList());
  }

  @Test
  void framesMayComeByteByByte() throws WireException {
    for (boolean proxy : new boolean[] {false, true}) {
      byte[] bytes = session(proxy);
      RecordedRequests requests = new RecordedRequests();
      for (int i = 0; i < bytes.length; i++) {
        requests.feed(bytes, i, i + 1);
      }
      assertThat(requests.events).isEqualTo(expected(proxy));
      assertThat(requests.unread()).isZero();
    }
  }

  @Test
  void framesMayBeSplitAnywhere() throws WireException {
    for (boolean proxy : new boolean[] {false, true}) {
      byte[] bytes = session(proxy);
      List<Event> whole = expected(proxy);
      for (int split = 1; split < bytes.length; split++) {
        RecordedRequests requests = new RecordedRequests();
        requests.feed(bytes, 0, split).feed(bytes, split, bytes.length);
        assertThat(requests.events).as("split at %d", split).isEqualTo(whole);
      }
    }
  }

  @Test
  void aFrameIsNotDecodedBeforeItsLastByte() throws WireException {
    for (Sample sample : direct()) {
      RecordedRequests requests = RecordedRequests.startedBy(3);
      byte[] frame = sample.direct();
      requests.feed(frame, 0, frame.length - 1);
      assertThat(requests.events).isEmpty();
      assertThat(requests.unread()).isEqualTo(frame.length - 1);
    }
  }

  @Test
  void theLargestGroupsFitTheSmallestFrameLimit() throws WireException {
    RequestFrame begin = RequestFrame.command(MessageType.TXN_BEGIN_GETGXID_MULTI);
    begin.be32(FrameLimits.GROUP_MAX);
    for (int i = 0; i < FrameLimits.GROUP_MAX; i++) {
      begin.be32(1).u8(0).be32(i);
    }
    RecordedRequests requests = new RecordedRequests(40 * 1024);
    requests.feed(RequestFrame.startup("", 6, false)).feed(begin.bytes());
    assertThat(((TransactionCommand.BeginMany) requests.commands().get(0)).items())
        .hasSize(FrameLimits.GROUP_MAX);
  }

  @ParameterizedTest
  @EnumSource(NodeType.class)
  void everyKindOfPeerMayStart(NodeType type) throws WireException {
    RecordedRequests requests = new RecordedRequests();
    String name = "n".repeat(FrameLimits.STARTUP_NAME_BYTES);
    requests.feed(RequestFrame.startup(name, type.code(), true));
    assertThat(requests.events)
        .containsExactly(
            new Event("startup", null, Command.NO_BACKEND, new Startup(name, type, true), null));
  }

  @Test
  void messagesOfTheOriginalStandbyAreRefusedWithAdviceAndTheConnectionGoesOn()
      throws WireException {
    Set<MessageType> standbyOnly = standbyOnly();
    assertThat(standbyOnly).hasSize(25);
    for (int nodeType : new int[] {1, 5}) {
      RecordedRequests requests = RecordedRequests.startedBy(nodeType);
      for (MessageType type : standbyOnly) {
        RequestFrame frame =
            nodeType == 1 ? RequestFrame.proxied(BACKEND, type) : RequestFrame.command(type);
        requests.feed(frame.text("whatever it carries").bytes());
      }
      assertThat(requests.events).hasSize(standbyOnly.size());
      for (Event event : requests.events) {
        assertThat(event.kind()).isEqualTo("refused");
        assertThat(event.backend()).isEqualTo(nodeType == 1 ? (short) BACKEND : -1);
        assertThat((String) event.value()).startsWith(event.type() + " is sent between");
        assertThat(event.hint()).contains("mgtm gtm start --members");
      }
      Sample next = direct().get(0);
      byte[] frame = nodeType == 1 ? next.proxied(BACKEND) : next.direct();
      assertThat(requests.feed(frame).commands()).hasSize(1);
    }
  }

  @Test
  void whatCameBeforeABrokenFrameIsHandedOver() throws WireException {
    RecordedRequests requests = RecordedRequests.startedBy(3);
    Sample first = direct().get(0);
    byte[] broken = RequestFrame.of('Q').bytes();
    assertThatThrownBy(() -> requests.feed(concat(first.direct(), first.direct(), broken)))
        .isInstanceOf(WireException.class);
    assertThat(requests.commands()).containsExactly(first.command(), first.command());
  }

  @Test
  void namesKeepTheirBytesWhateverTheEncoding() throws WireException {
    byte[] key = new byte[256];
    for (int i = 0; i < 255; i++) {
      key[i] = (byte) (i + 1);
    }
    RecordedRequests requests = RecordedRequests.startedBy(3);
    requests.feed(
        RequestFrame.command(MessageType.SEQUENCE_GET_NEXT).be32(key.length).raw(key).bytes());
    String read =
        ((io.mgtm.gtm.command.SequenceCommand.NextValue) requests.commands().get(0)).key();
    assertThat(Arrays.equals(read.getBytes(io.mgtm.gtm.command.Names.BYTES), key)).isTrue();
  }
}
