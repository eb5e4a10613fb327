package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mgtm.common.AllowList;
import io.mgtm.testing.Await;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a member does that cannot accept a connection, as when it has too many files. */
class AcceptFailureTest {
  private final Logger log = (Logger) LoggerFactory.getLogger(LinkListener.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final EventLoop loop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();
  private final NioServerSocketChannel listening = new NioServerSocketChannel();

  @Test
  void waitsAWhileAndFillsNoLog() {
    LinkListener listener =
        new LinkListener(loop, () -> listening, null, new Gate(new AllowList(List.of())), null);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    listener.begin();
    lines.start();
    log.addAppender(lines);
    try {
      boolean accepts =
          loop.submit(
                  () -> {
                    for (int i = 0; i < 1_000; i++) {
                      listening.pipeline().fireExceptionCaught(new IOException("Too many files"));
                    }
                    return listening.config().isAutoRead();
                  })
              .syncUninterruptibly()
              .getNow();
      assertThat(accepts).as("tries again at once").isFalse();
      assertThat(List.copyOf(lines.list)).hasSizeLessThan(40);
      Await.until("it to accept again", () -> listening.config().isAutoRead());
    } finally {
      log.detachAppender(lines);
      loop.submit(listener::close).syncUninterruptibly();
      loop.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
