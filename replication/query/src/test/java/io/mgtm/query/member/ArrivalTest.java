package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.fleet.Leadership;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.FrameSplitter;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection comes to a member that does not serve; time is the channel's own. */
class ArrivalTest {
  private static final ByteBufAllocator HEAP = UnpooledByteBufAllocator.DEFAULT;
  private static final Leadership TAKES_OVER = new Leadership("q2", "127.0.0.1:1", ForwardKey.NONE);

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private final AtomicReference<Leadership> where = new AtomicReference<>(Leadership.NOBODY);
  private QueryConfig config;
  private ServerDoor door;
  private Entrance entrance;
  private Forwards forwards;

  @BeforeEach
  void start() throws Exception {
    config = TestConfig.follower(5_000);
    door = new ServerDoor(config);
    entrance = new Entrance(config, door);
    forwards = new Forwards(config, loop, where::get);
    entrance.setForwards(forwards);
  }

  @AfterEach
  void stop() {
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private EmbeddedChannel comes() {
    EmbeddedChannel client = new EmbeddedChannel(entrance);
    client.freezeTime();
    return client;
  }

  private static void pass(EmbeddedChannel client, int ms) {
    for (int left = ms; left > 0; left -= 100) {
      client.advanceTimeBy(100, TimeUnit.MILLISECONDS);
      client.runScheduledPendingTasks();
    }
  }

  private static ByteBuf startup() {
    return Messages.startup(HEAP, Map.of("user", "alice"));
  }

  private static ErrorFields told(EmbeddedChannel client) {
    ByteBuf answer = client.readOutbound();
    if (answer == null) {
      return null;
    }
    Frame error = new FrameSplitter(FrameSplitter.Sender.SERVER, 65_536).next(answer);
    ErrorFields fields = ErrorFields.read(error.body());
    error.release();
    answer.release();
    return fields;
  }

  @Test
  void whileATakeoverIsUnderWayItIsHeldUntilTheTimeIsOver() {
    where.set(TAKES_OVER);
    EmbeddedChannel client = comes();
    client.writeInbound(startup());
    pass(client, 59_000);
    assertThat(told(client)).isNull();
    assertThat(forwards.heldCount()).isEqualTo(1);
    pass(client, 2_000);
    ErrorFields told = told(client);
    assertThat(told.sqlState()).isEqualTo("57P03");
    assertThat(told.message()).isEqualTo("the replicator q2 leads, and is not known to serve yet");
    assertThat(client.isOpen()).isFalse();
    assertThat(forwards.heldCount()).isZero();
  }

  @Test
  void itIsServedInTheMomentInWhichThisOneServes() {
    EmbeddedChannel client = comes();
    client.writeInbound(Messages.sslRequest(HEAP));
    assertThat(client.<ByteBuf>readOutbound()).isNull();
    try (Tenure tenure = new Tenure(config, door, loop, null, null, "")) {
      entrance.open(tenure);
      ByteBuf noTls = client.readOutbound();
      assertThat(noTls).isNotNull();
      assertThat(noTls.toString(StandardCharsets.US_ASCII)).isEqualTo("N");
      noTls.release();
      assertThat(forwards.heldCount()).isZero();
    }
    client.close();
  }

  @Test
  void whileNobodyLeadsItIsHeldForShorter() {
    EmbeddedChannel client = comes();
    client.writeInbound(startup());
    pass(client, 4_000);
    where.set(TAKES_OVER);
    pass(client, 4_000);
    where.set(Leadership.NOBODY);
    pass(client, 4_000);
    assertThat(told(client)).isNull();
    pass(client, 2_000);
    assertThat(told(client).message()).isEqualTo("no replicator leads now");
  }

  @Test
  void whoSaysNothingIsNotRefusedBeforeTheTimeOfALogin() {
    EmbeddedChannel client = comes();
    pass(client, 59_000);
    client.writeInbound(startup());
    assertThat(told(client)).isNull();
    assertThat(client.isOpen()).isTrue();
    client.close();
    assertThat(forwards.heldCount()).isZero();
  }

  @Test
  void whatAMemberForwardsIsNotForwardedAgain() {
    where.set(TAKES_OVER);
    EmbeddedChannel client = comes();
    client.writeInbound(Messages.forward(HEAP, new StartupPacket.Forward("q3", null)));
    assertThat(client.isOpen()).isFalse();
    assertThat(client.<ByteBuf>readOutbound()).isNull();
  }

  @Test
  void whereNobodyServesThereIsNothingToCancel() {
    where.set(TAKES_OVER);
    EmbeddedChannel client = comes();
    client.writeInbound(Messages.cancelRequest(HEAP, 1, 2));
    assertThat(client.isOpen()).isFalse();
    assertThat(client.<ByteBuf>readOutbound()).isNull();
  }

  @Test
  void noMoreAreHeldThanMayBeConnectedAndLittleOfEach() {
    where.set(TAKES_OVER);
    EmbeddedChannel first = comes();
    EmbeddedChannel second = comes();
    EmbeddedChannel third = comes();
    third.writeInbound(startup());
    assertThat(told(third).sqlState()).isEqualTo("53300");
    first.writeInbound(Unpooled.buffer().writeZero(9_999));
    assertThat(first.config().isAutoRead()).isTrue();
    first.writeInbound(Unpooled.buffer().writeZero(1));
    assertThat(first.config().isAutoRead()).isFalse();
    first.close();
    second.close();
  }

  @Test
  void whoIsHeldIsToldThatThisOneStops() throws Exception {
    where.set(TAKES_OVER);
    EmbeddedChannel client = comes();
    client.writeInbound(startup());
    CompletableFuture<Void> stops = CompletableFuture.runAsync(forwards::stop);
    Await.until("it to stop", forwards::isStopping);
    pass(client, 100);
    assertThat(told(client).message()).isEqualTo("this replicator stops");
    stops.get(180, TimeUnit.SECONDS);
  }

  @Test
  void aPipePassesBytesAndReadsNothingThatWouldWait() {
    EmbeddedChannel client = new EmbeddedChannel();
    EmbeddedChannel server = new EmbeddedChannel(new Pipe(client));
    client.pipeline().addLast(new Pipe(server));
    client.writeInbound(Unpooled.wrappedBuffer(new byte[] {1, 2}));
    assertThat(server.<ByteBuf>readOutbound().readableBytes()).isEqualTo(2);
    server.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    server.runPendingTasks();
    assertThat(client.config().isAutoRead()).isFalse();
    server.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
    server.runPendingTasks();
    assertThat(client.config().isAutoRead()).isTrue();
    server.writeInbound(Unpooled.wrappedBuffer(new byte[] {3}));
    server.close();
    assertThat(client.<ByteBuf>readOutbound().readByte()).isEqualTo((byte) 3);
    client.runPendingTasks();
    assertThat(client.isOpen()).isFalse();
  }
}
