package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A gateway with real XC clients in front of a node that does as told. */
class GatewayServerTest {
  private static final int WAIT_S = 180;
  private static final GatewaySettings SETTINGS = settings(100, 10_000, 10_000, List.of());

  private static GatewaySettings settings(
      int connectionsMax, int startupMs, int frameMs, List<String> allow) {
    return new GatewaySettings(
        connectionsMax, 64 * 1024, 1 << 20, new ClientTimeouts(startupMs, frameMs, 10_000), allow);
  }

  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private final EventLoop loop = loops.next();
  private final FakeNode node = new FakeNode(loop);
  private final List<RawClient> clients = new ArrayList<>();
  private Gateway gateway;
  private GatewayServer server;

  private void start(GatewaySettings settings) throws Exception {
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
  }

  @AfterEach
  void stop() throws Exception {
    clients.forEach(RawClient::close);
    server.close();
    loop.submit(gateway::close).get();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(fatal.get()).isNull();
  }

  private RawClient connect() throws IOException {
    InetSocketAddress address = server.address();
    RawClient client = new RawClient(address);
    clients.add(client);
    return client;
  }

  private RawClient backend() throws IOException {
    return connect().startup("coord1", 6, false);
  }

  private FakeNode.Got next() throws InterruptedException {
    FakeNode.Got next = node.got.poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(next).as("a command at the node").isNotNull();
    return next;
  }

  @Test
  void answersEachClientInTheOrderOfItsRequests() throws Exception {
    start(SETTINGS);
    RawClient client = backend();
    int first = client.begin();
    assertThat(client.begin()).isEqualTo(first + 1);
    assertThat(client.commit(first)).isTrue();
    assertThat(node.attached.poll(WAIT_S, TimeUnit.SECONDS))
        .satisfies(a -> assertThat(LinkFormat.isGatewaySession(a.session())).isTrue())
        .satisfies(a -> assertThat(a.fresh()).isTrue())
        .satisfies(a -> assertThat(a.proxied()).isFalse());
  }

  @Test
  void whatAllClientsSentInOneTurnLeavesInOneFrame() throws Exception {
    start(SETTINGS);
    List<RawClient> many = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      many.add(backend());
    }
    many.get(0).begin();
    node.frames.clear();
    CountDownLatch sent = new CountDownLatch(1);
    CompletableFuture<Void> holdsTheLoop = new CompletableFuture<>();
    loop.execute(
        () -> {
          holdsTheLoop.complete(null);
          try {
            assertThat(sent.await(WAIT_S, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    holdsTheLoop.get();
    for (RawClient client : many) {
      client.send(RawClient.beginFrame());
    }
    sent.countDown();
    for (RawClient client : many) {
      assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
    }
    assertThat(node.frames).containsExactly(10);
  }

  @Test
  void anErrorOfTheGatewayWaitsForTheRepliesBeforeIt() throws Exception {
    start(SETTINGS);
    node.answers = false;
    RawClient client = backend();
    client.send(
        RawClient.beginFrame().bytes(),
        RequestFrame.command(MessageType.NODE_BEGIN_REPLICATION_INIT).bytes(),
        RawClient.beginFrame().bytes());
    next();
    next();
    node.answerAll();
    assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
    assertThat(client.read().error()).contains("NODE_BEGIN_REPLICATION_INIT");
    assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
  }

  @Test
  void garbageEndsThatConnectionAlone() throws Exception {
    start(SETTINGS);
    RawClient good = backend();
    RawClient bad = connect();
    bad.send("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThat(bad.read().error()).startsWith("FATAL\nexpecting a startup packet");
    assertThat(bad.isClosedByServer()).isTrue();
    RawClient late = backend();
    late.send(new byte[] {'C', 0x7f, 0, 0, 0});
    assertThat(late.read().error()).contains("the length of a frame");
    assertThat(late.isClosedByServer()).isTrue();
    good.begin();
  }

  @Test
  void clientsWaitWhileNobodyLeads() throws Exception {
    node.leads = false;
    start(SETTINGS);
    RawClient client = backend();
    client.send(RawClient.beginFrame());
    assertThat(gateway.trouble()).isNotEmpty();
    node.lead(true);
    assertThat(client.read().result()).isEqualTo(ResultType.TXN_BEGIN_GETGXID);
    assertThat(gateway.trouble()).isEmpty();
    assertThat(gateway.describe()).contains("fake in term");
  }

  @Test
  void aNewTermGetsTheSameCommandsUnderTheSameNumbers() throws Exception {
    start(SETTINGS);
    RawClient client = backend();
    client.begin();
    node.got.clear();
    node.attached.clear();
    node.answers = false;
    client.send(RawClient.beginFrame().bytes(), RawClient.commitFrame(100).bytes());
    FakeNode.Got begin = next();
    FakeNode.Got commit = next();
    node.lead(true);
    FakeNode.Attach again = node.attached.poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(again.fresh()).isFalse();
    assertThat(again.acked()).isEqualTo(begin.number() - 1);
    assertThat(next()).isEqualTo(begin);
    assertThat(next()).isEqualTo(commit);
  }

  @Test
  void aLostSessionIsToldToItsClientsAndNeverUsedAgain() throws Exception {
    start(SETTINGS);
    RawClient idle = backend();
    RawClient waiting = backend();
    idle.begin();
    node.answers = false;
    long lost = node.attached.poll(WAIT_S, TimeUnit.SECONDS).session();
    node.got.clear();
    waiting.send(RawClient.beginFrame());
    next();
    node.refuse(lost, RefusalCode.SESSION_LOST);
    assertThat(waiting.read().error()).startsWith("FATAL\nthe session with the GTM was lost");
    assertThat(waiting.isClosedByServer()).isTrue();
    assertThat(idle.isClosedByServer()).isTrue();
    FakeNode.Attach fresh = node.attached.poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(fresh.session()).isNotEqualTo(lost);
    assertThat(fresh.fresh()).isTrue();
    node.answers = true;
    backend().begin();
  }

  @Test
  void whoFloodsIsReadNoFurtherThanTheWindow() throws Exception {
    start(SETTINGS);
    node.answers = false;
    int clientsWanted = 60;
    int each = 1_000;
    byte[] one = RawClient.beginFrame().bytes();
    byte[] flood = new byte[one.length * each];
    for (int i = 0; i < each; i++) {
      System.arraycopy(one, 0, flood, i * one.length, one.length);
    }
    List<RawClient> many = new ArrayList<>();
    for (int i = 0; i < clientsWanted; i++) {
      RawClient client = backend();
      client.send(flood);
      many.add(client);
    }
    int window = LinkFormat.WINDOW_COMMANDS;
    Await.until("a full window", () -> node.outstanding.get() >= window);
    assertThat(node.outstandingMost.get()).isEqualTo(window);
    node.answerAll();
    for (RawClient client : many) {
      int before = 0;
      for (int i = 0; i < each; i++) {
        int gxid = client.read().int32(0);
        assertThat(gxid).isGreaterThan(before);
        before = gxid;
      }
    }
    assertThat(node.outstandingMost.get()).isEqualTo(window);
  }

  @Test
  void theGtmIsToldThatAClientHasGone() throws Exception {
    start(SETTINGS);
    RawClient client = backend();
    client.begin();
    short backend = ((TransactionCommand.Begin) next().command()).backend();
    client.close();
    SessionCommand.DisconnectBackend end = (SessionCommand.DisconnectBackend) next().command();
    assertThat(end.backend()).isEqualTo(backend);
    assertThat(end.postmaster()).isFalse();

    connect().startup("dn1", NodeType.DATANODE.code(), true).close();
    end = (SessionCommand.DisconnectBackend) next().command();
    assertThat(end.postmaster()).isTrue();
    assertThat(end.nodeType()).isEqualTo(NodeType.DATANODE);
    assertThat(end.nodeName()).isEqualTo("dn1");
  }

  @Test
  void aBackendNumberComesAgainOnlyWhenTheGtmKnows() throws Exception {
    start(SETTINGS);
    RawClient first = backend();
    first.begin();
    short number = ((TransactionCommand.Begin) next().command()).backend();
    node.answers = false;
    first.close();
    assertThat(next().command()).isInstanceOf(SessionCommand.DisconnectBackend.class);
    RawClient second = backend();
    second.send(RawClient.beginFrame());
    assertThat(((TransactionCommand.Begin) next().command()).backend()).isNotEqualTo(number);
    node.answerAll();
    second.read();
    RawClient third = backend();
    third.begin();
    assertThat(((TransactionCommand.Begin) next().command()).backend()).isEqualTo(number);
  }

  @Test
  void aProxyHasASessionOfItsOwnThatEndsWithIt() throws Exception {
    start(SETTINGS);
    FakeNode.Attach shared = node.attached.poll(WAIT_S, TimeUnit.SECONDS);
    RawClient proxy = connect().startup("gtm_proxy", NodeType.PROXY.code(), false);
    FakeNode.Attach own = node.attached.poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(own.proxied()).isTrue();
    assertThat(own.session()).isNotEqualTo(shared.session());
    RawClient.Frame reply =
        proxy.call(
            RequestFrame.proxied(1_234, MessageType.TXN_BEGIN_GETGXID).be32(1).u8(0),
            ResultType.TXN_BEGIN_GETGXID);
    assertThat(reply.int16(0)).isEqualTo((short) 1_234);
    FakeNode.Got got = next();
    assertThat(got.session()).isEqualTo(own.session());
    assertThat(got.backend()).isEqualTo((short) 1_234);
    proxy.close();
    assertThat(node.closed.poll(WAIT_S, TimeUnit.SECONDS)).isEqualTo(own.session());
  }

  @Test
  void onlyListedNetworksAreServed() throws Exception {
    start(settings(100, 10_000, 10_000, List.of("10.0.0.0/8")));
    RawClient client = connect();
    Throwable thrown = catchThrowable(() -> assertThat(client.isClosedByServer()).isTrue());
    assertThat(thrown)
        .satisfiesAnyOf(
            t -> assertThat(t).isNull(), t -> assertThat(t).isInstanceOf(SocketException.class));
  }

  @Test
  void whoComesBeyondTheLimitIsToldAndTurnedAway() throws Exception {
    start(settings(2, 10_000, 10_000, List.of()));
    backend();
    backend();
    RawClient third = connect();
    assertThat(third.read().error()).contains("the limit of 2 connections is reached");
    assertThat(third.isClosedByServer()).isTrue();
  }

  @Test
  void whoDoesNotSpeakInTimeIsToldAndClosed() throws Exception {
    start(settings(10, 200, 10_000, List.of()));
    RawClient silent = connect();
    assertThat(silent.read().error()).contains("no startup packet came within 200 ms");
    assertThat(silent.isClosedByServer()).isTrue();
  }

  @Test
  void whoDoesNotEndAFrameInTimeIsToldAndClosed() throws Exception {
    start(settings(10, 10_000, 200, List.of()));
    RawClient slow = backend();
    slow.send(new byte[] {'C', 0, 0});
    assertThat(slow.read().error()).contains("the rest of a frame did not come within 200 ms");
    assertThat(slow.isClosedByServer()).isTrue();
  }

  @Test
  void anErrorInAHandlerEndsThatClientAlone() throws Exception {
    start(SETTINGS);
    RawClient other = backend();
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast(new GatewayConnection(gateway, SETTINGS));
    channel.pipeline().fireExceptionCaught(new OutOfMemoryError("Direct buffer memory"));
    assertThat(channel.isOpen()).isFalse();
    assertThat(other.begin()).isPositive();
  }

  @Test
  void aDrainWaitsForOpenTransactions() throws Exception {
    start(SETTINGS);
    RawClient idle = backend();
    RawClient busy = backend();
    int gxid = busy.begin();
    server.close();
    CompletableFuture<Void> drained = gateway.drain(WAIT_S * 1_000);
    assertThat(idle.isClosedByServer()).isTrue();
    assertThat(drained).isNotDone();
    assertThat(busy.commit(gxid)).isTrue();
    assertThat(busy.isClosedByServer()).isTrue();
    drained.get(WAIT_S, TimeUnit.SECONDS);
    loop.submit(gateway::close).get();
    assertThat(node.closed).hasSize(1);
  }

  @Test
  void aDrainEndsWhenItsTimeIsOver() throws Exception {
    start(SETTINGS);
    RawClient busy = backend();
    busy.begin();
    gateway.drain(200).get(WAIT_S, TimeUnit.SECONDS);
    loop.submit(gateway::close).get();
    assertThat(busy.isClosedByServer()).isTrue();
  }

  @Test
  void anAnswerWithoutAQuestionBreaksTheLinkOnly() throws Exception {
    start(SETTINGS);
    RawClient client = backend();
    client.begin();
    long session = node.attached.poll(WAIT_S, TimeUnit.SECONDS).session();
    node.attached.clear();
    node.answer(session, 99);
    FakeNode.Attach again = node.attached.poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(again.session()).isEqualTo(session);
    assertThat(again.fresh()).isFalse();
    client.begin();
  }
}
