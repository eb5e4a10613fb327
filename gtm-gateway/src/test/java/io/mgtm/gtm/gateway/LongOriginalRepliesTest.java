package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What an original GTM answers is one frame, however long: a gateway before it, and its clients.
 */
class LongOriginalRepliesTest {
  private static final int UNREAD_MS = 600_000;
  private static final byte[] ASK = RequestFrame.command(MessageType.SEQUENCE_LIST).bytes();

  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private final EventLoop loop = loops.next();
  private final List<RawClient> clients = new ArrayList<>();
  private final FakeOriginal original;
  private Gateway gateway;
  private GatewayServer server;

  LongOriginalRepliesTest() throws IOException {
    original = new FakeOriginal();
  }

  @BeforeEach
  void start() throws Exception {
    GatewaySettings settings =
        new GatewaySettings(
            100, 64 * 1024, 64 * 1024, new ClientTimeouts(10_000, 10_000, UNREAD_MS), List.of());
    HostPort any = new HostPort("127.0.0.1", 0);
    gateway =
        Gateway.connecting(
            "p1",
            settings,
            loop,
            new TcpLinks(loop, new TcpLinks.Identity("p1", GatewayKind.PROXY, null, null)),
            new Gateway.Nodes(List.of(original.address()), UpstreamProtocol.XC, any),
            new GatewayMetrics(new SimpleMeterRegistry()),
            fatal::set);
    server = GatewayServer.listen(any, gateway, settings, loop);
    loop.submit(gateway::start).get();
  }

  @AfterEach
  void stop() throws Exception {
    clients.forEach(RawClient::close);
    server.close();
    loop.submit(gateway::close).get();
    original.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(fatal.get()).isNull();
  }

  private RawClient connect(String name, NodeType type) throws IOException {
    RawClient client = new RawClient(server.address());
    clients.add(client);
    return client.startup(name, type.code(), false);
  }

  private RawClient backend() throws IOException {
    return connect("coord1", NodeType.DEFAULT);
  }

  @Test
  void oneThatIsTooLongIsAnErrorOfItsCommandAlone() throws Exception {
    original.longBytes = 5 * ReplyRoom.REPLY_BYTES_MAX;
    RawClient asking = backend();
    RawClient other = backend();
    int first = other.begin();
    asking.send(ASK);
    assertThat(asking.read().error())
        .isEqualTo(
            "ERROR\nthe GTM answers with 83886080 bytes, and this proxy passes on 16777216 at most\n"
                + "Ask the GTM itself.");
    assertThat(asking.begin()).isEqualTo(first + 1);
    asking.send(RawClient.snapshotFrame(first));
    assertThat(asking.read().error()).contains("passes on 16777216 at most");
    assertThat(other.begin()).isEqualTo(first + 2);
    assertThat(original.connections).as("over the same connection").hasValue(1);
  }

  @Test
  void aProxyIsToldWhoseReplyItWas() throws Exception {
    original.longBytes = ReplyRoom.REPLY_BYTES_MAX + 1;
    RawClient proxy = connect("p2", NodeType.PROXY);
    proxy.send(RequestFrame.proxied(77, MessageType.SEQUENCE_LIST).bytes(), RequestFrame.flush());
    assertThat(proxy.read().proxiedError(77)).contains("Ask the GTM itself");
  }

  @Test
  void whatIsNotTooLongIsPassedOnWhole() throws Exception {
    original.longBytes = ReplyRoom.REPLY_BYTES_MAX;
    RawClient asking = backend();
    asking.send(ASK);
    // Without the number that a proxy's reply carries.
    assertThat(asking.read().body().capacity()).isEqualTo(original.longBytes - 5 - 2);
    asking.begin();
  }

  @Test
  void whileClientsTakeNothingOthersAreToldToAskAgain() throws Exception {
    original.longBytes = ReplyRoom.REPLY_BYTES_MAX;
    RawClient reads = backend();
    List<RawClient> deaf = new ArrayList<>();
    RawClient.Frame answer;
    do {
      assertThat(deaf).hasSizeLessThan(20);
      RawClient next = backend();
      next.socket().setReceiveBufferSize(4_096);
      next.send(ASK);
      deaf.add(next);
      reads.send(ASK);
      answer = reads.read();
    } while (answer.type() == 'S');
    assertThat(answer.error()).contains("too much waits for other clients", "Ask again");
    reads.begin();
    deaf.forEach(RawClient::close);
    Await.until(
        "a list for who asks again",
        () -> {
          reads.send(ASK);
          return reads.read().type() == 'S';
        });
  }
}
