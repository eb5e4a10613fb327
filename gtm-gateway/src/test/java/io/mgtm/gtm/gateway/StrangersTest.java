package io.mgtm.gtm.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.EventLoops;
import io.mgtm.testing.LogLines;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever reaches a gateway's port may say what it likes, and fills no disk with it. */
class StrangersTest {
  private static final int TIMES = 200;
  @RegisterExtension private final LogLines lines = new LogLines();
  private final AtomicReference<Throwable> fatal = new AtomicReference<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "test-gateway", fatal::set);
  private final EventLoop loop = loops.next();

  @AfterEach
  void stop() throws InterruptedException {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    assertThat(fatal.get()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"100,,Closing,2", "1,,limit,40", "100,192.0.2.0/24,network,40"})
  void whatStrangersDoIsSaidSomeTimesAMinute(
      int connectionsMax, String allow, String word, long linesMax) throws Exception {
    FakeNode node = new FakeNode(loop);
    Gateway gateway =
        Gateway.ofGroup(
            "p1",
            new GatewaySettings(
                connectionsMax,
                64 * 1024,
                1 << 20,
                new ClientTimeouts(10_000, 10_000, 10_000),
                allow == null ? List.of() : List.of(allow)),
            loop,
            new LinkNodes(List.of(node), address -> node),
            new GatewayMetrics(new SimpleMeterRegistry()),
            fatal::set);
    loop.submit(gateway::start).get();
    for (int i = 0; i < TIMES; i++) {
      loop.submit(
              () -> {
                EmbeddedChannel channel = new EmbeddedChannel();
                gateway.accept(channel);
                if (channel.isOpen() && word.equals("Closing")) {
                  channel.writeInbound(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", UTF_8));
                }
              })
          .get();
    }
    loop.submit(gateway::close).get();
    assertThat(lines.list().stream().filter(l -> l.getFormattedMessage().contains(word)).count())
        .isBetween(1L, linesMax);
  }
}
