package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Loops;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.fleet.Leadership;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients of a member that does not serve; the one that serves is the test. */
class ForwardsTest {
  private static final ByteBufAllocator HEAP = UnpooledByteBufAllocator.DEFAULT;
  private static final int READ_MS = 180_000;

  private final MultiThreadIoEventLoopGroup loops = Loops.start(1);
  private final ForwardKey key = ForwardKey.draw();
  private final AtomicReference<Leadership> where = new AtomicReference<>();
  private ServerSocket serves;
  private Channel listener;

  @BeforeEach
  void serve() throws IOException {
    serves = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    serves.setSoTimeout(READ_MS);
    where.set(at(key));
  }

  private Leadership at(ForwardKey of) {
    return new Leadership("q2", "127.0.0.1:" + serves.getLocalPort(), of);
  }

  private InetSocketAddress follower(int connectMs) throws Exception {
    return follower(connectMs, connectMs);
  }

  /**
   * A member whose address is returned.
   *
   * @param holdMs how long it holds a client that it cannot forward
   * @param cutOffMs after how long without a known leader it ends what it forwarded
   */
  private InetSocketAddress follower(int holdMs, int cutOffMs) throws Exception {
    QueryConfig config = TestConfig.follower(holdMs);
    Entrance entrance = new Entrance(config, new ServerDoor(config));
    QueryConfig forwarding = TestConfig.follower(cutOffMs);
    entrance.setForwards(new Forwards(forwarding, loops.next(), where::get));
    listener =
        Loops.listener(loops, config.limits().outboundBytesMax())
            .childHandler(entrance)
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
    return (InetSocketAddress) listener.localAddress();
  }

  @AfterEach
  void stop() throws IOException {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    serves.close();
  }

  private static ByteBuf startup() {
    return Messages.startup(HEAP, Map.of("user", "alice"));
  }

  /** One that serves takes a connection, and finds that its client is here. */
  private Socket take() throws IOException {
    Socket socket = serves.accept();
    socket.setSoTimeout(READ_MS);
    StartupPacket.Forward says = (StartupPacket.Forward) packet(socket);
    assertThat(says.member()).isEqualTo("q1");
    assertThat(says.client().getHostAddress()).isEqualTo("127.0.0.9");
    byte[] challenge = ForwardKey.challenge();
    socket.getOutputStream().write(challenge);
    StartupPacket.Proof proof = (StartupPacket.Proof) packet(socket);
    assertThat(key.isProof(proof.proof(), challenge, says)).isTrue();
    // Nothing of the client has come.
    assertThat(socket.getInputStream().available()).isZero();
    socket.getOutputStream().write(StartupPacket.TAKEN);
    return socket;
  }

  private static StartupPacket packet(Socket from) throws IOException {
    DataInputStream in = new DataInputStream(from.getInputStream());
    int length = in.readInt();
    byte[] rest = in.readNBytes(length - Integer.BYTES);
    return StartupPacket.read(Unpooled.buffer().writeInt(length).writeBytes(rest));
  }

  private static RawClient client(InetSocketAddress at) throws IOException {
    RawClient client = new RawClient(at, InetAddress.getByName("127.0.0.9"));
    client.send(startup());
    return client;
  }

  @Test
  void bytesPassBothWaysAndTheEndOfOneIsTheOthers() throws Exception {
    RawClient client = client(follower(60_000));
    // It is not taken the first time.
    serves.accept().close();
    try (Socket server = take()) {
      byte[] sent = ByteBufUtil.getBytes(startup());
      assertThat(server.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
      server.getOutputStream().write("answer".getBytes(StandardCharsets.US_ASCII));
      assertThat(client.readBytes(6)).asString(StandardCharsets.US_ASCII).isEqualTo("answer");
      client.close();
      assertThat(server.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void whatWasForwardedEndsWhenAnotherServes() throws Exception {
    try (RawClient client = client(follower(60_000));
        Socket server = take()) {
      byte[] sent = ByteBufUtil.getBytes(startup());
      assertThat(server.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
      where.set(at(ForwardKey.NONE));
      where.set(at(ForwardKey.draw()));
      assertThat(client.readBytes(1)).isEmpty();
      assertThat(server.getInputStream().readAllBytes()).isEmpty();
    }
  }

  @Test
  void andWhenNobodyIsKnownToLeadForLong() throws Exception {
    try (RawClient client = client(follower(60_000, 1_000));
        Socket server = take()) {
      // It is forwarded, and held no more, when what it sent has come.
      byte[] sent = ByteBufUtil.getBytes(startup());
      assertThat(server.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
      where.set(Leadership.NOBODY);
      assertThat(client.readBytes(1)).isEmpty();
    }
  }

  @Test
  void whoCannotBeReachedIsNamed() throws Exception {
    serves.close();
    try (RawClient client = client(follower(100))) {
      ErrorFields told = ErrorFields.read(client.readToEnd().get(0).body());
      assertThat(told.sqlState()).isEqualTo("57P03");
      assertThat(told.message())
          .startsWith("this replicator cannot forward to q2 at 127.0.0.1:")
          .contains("serves: ")
          .contains("refused");
    }
  }
}
