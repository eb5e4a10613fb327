package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import io.mgtm.gtm.command.SequenceReply.SequenceList;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Long lists, and commands that the link breaks over, at a gateway whose node does as told. */
class GatewayListTest {
  private static final int WAIT_S = 180;
  private static final byte[] ASK = RequestFrame.command(MessageType.SEQUENCE_LIST).bytes();

  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private final EventLoop loop = loops.next();
  private final FakeNode node = new FakeNode(loop);
  private Gateway gateway;
  private GatewayServer server;

  @BeforeEach
  void start() throws Exception {
    GatewaySettings settings =
        new GatewaySettings(
            100, 64 * 1024, 64 * 1024, new ClientTimeouts(10_000, 10_000, 10_000), List.of());
    gateway =
        Gateway.ofGroup(
            "p1",
            settings,
            loop,
            new LinkNodes(List.of(node), address -> node),
            new GatewayMetrics(new SimpleMeterRegistry()),
            fatal::set);
    server = GatewayServer.listen(new HostPort("127.0.0.1", 0), gateway, settings, loop);
    loop.submit(gateway::start).get();
    node.list = list(100_000);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    loop.submit(gateway::close).get();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(fatal.get()).isNull();
  }

  private static byte[] list(int sequences) {
    ByteBuf out = Unpooled.buffer();
    new ReplyEncoder()
        .encode(
            out,
            false,
            (short) 0,
            new SequenceList(
                IntStream.range(0, sequences)
                    .mapToObj(i -> new SequenceInfo("s" + i, 1, 1, 1, 1, 1, 9, false, false))
                    .toList()));
    return ByteBufUtil.getBytes(out);
  }

  private RawClient backend() throws IOException {
    return new RawClient(server.address()).startup("coord1", 6, false);
  }

  private void awaitPull(boolean more) throws InterruptedException {
    assertThat(node.pulls.poll(WAIT_S, TimeUnit.SECONDS)).isEqualTo(more);
  }

  private void reads(RawClient client) throws IOException {
    RawClient.Frame frame = client.read();
    assertThat(frame.result()).isEqualTo(ResultType.SEQUENCE_LIST);
    assertThat(frame.body().remaining()).isEqualTo(node.list.length - 5);
  }

  @Test
  void othersAreServedBetweenThePieces() throws Exception {
    node.sendsPieces = false;
    try (RawClient asking = backend();
        RawClient other = backend()) {
      asking.send(ASK, RawClient.beginFrame().bytes());
      awaitPull(true);
      int first = other.begin();
      node.sendPiece(true);
      awaitPull(true);
      assertThat(other.begin()).as("nothing behind the list is done").isEqualTo(first + 1);
      node.sendsPieces = true;
      node.sendPiece(true);
      reads(asking);
      assertThat(asking.read().int32(0)).isEqualTo(first + 2);
    }
  }

  @Test
  void aClientThatDoesNotReadIsSentLittle() throws Exception {
    node.list = list(500_000);
    try (RawClient deaf = backend();
        RawClient other = backend()) {
      deaf.send(ASK);
      awaitPull(true);
      int last = -1;
      // Until the sockets are full, however much that is.
      while (node.pulls.size() != last) {
        last = node.pulls.size();
        for (int i = 0; i < 200; i++) {
          other.begin();
        }
      }
      assertThat((long) last * node.pieceBytes).isLessThan(node.list.length - node.pieceBytes);
      reads(deaf);
    }
  }

  @Test
  void aClientThatGoesGivesItsListUp() throws Exception {
    node.sendsPieces = false;
    RawClient asking = backend();
    asking.send(ASK);
    awaitPull(true);
    asking.close();
    awaitPull(false);
  }

  @Test
  void aListThatIsLostBeforeItsFirstPieceIsAskedForAgain() throws Exception {
    node.sendsPieces = false;
    try (RawClient asking = backend()) {
      asking.send(ASK);
      awaitPull(true);
      node.sendPiece(false);
      awaitPull(true);
      assertThat(node.got)
          .filteredOn(got -> got.command() instanceof SequenceCommand.ListAll)
          .hasSize(2);
      node.sendsPieces = true;
      node.sendPiece(true);
      reads(asking);
    }
  }

  @Test
  void aListThatIsLostAgainAndAgainIsAnErrorOfThatCommandAlone() throws Exception {
    node.sendsPieces = false;
    try (RawClient asking = backend()) {
      asking.send(ASK);
      for (int i = 0; i < 5; i++) {
        awaitPull(true);
        node.sendPiece(false);
      }
      assertThat(asking.read().error()).contains("that sent a list was lost");
      asking.begin();
    }
  }

  @Test
  void aListThatIsLostHalfSentEndsItsConnectionAlone() throws Exception {
    node.sendsPieces = false;
    try (RawClient asking = backend();
        RawClient other = backend()) {
      asking.send(ASK);
      awaitPull(true);
      node.sendPiece(true);
      awaitPull(true);
      node.sendPiece(false);
      assertThatThrownBy(asking::read).isInstanceOf(IOException.class);
      other.begin();
    }
  }

  @Test
  void aCommandThatBreaksTheLinkIsGivenUpAndTheOthersAreServed() throws Exception {
    node.garbles = CommandType.GET_NEXT_GXID;
    node.answers = false;
    try (RawClient bad = backend();
        RawClient good = backend()) {
      good.send(RawClient.beginFrame());
      bad.send(RequestFrame.command(MessageType.TXN_GET_NEXT_GXID).bytes());
      good.send(RawClient.beginFrame());
      assertThat(bad.read().error()).startsWith("FATAL").contains("broke over this command");
      assertThat(bad.isClosedByServer()).isTrue();
      assertThat(good.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      assertThat(good.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
      good.begin();
    }
  }
}
