package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.AllowList;
import io.mgtm.testing.Await;
import io.mgtm.testing.LogLines;
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
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a member does that cannot accept a connection, as when it has too many files. */
class AcceptFailureTest {
  @RegisterExtension private final LogLines lines = new LogLines(LinkListener.class.getName());
  private final EventLoop loop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();
  private final NioServerSocketChannel listening = new NioServerSocketChannel();

  @Test
  void waitsAWhileAndFillsNoLog() {
    LinkListener listener =
        new LinkListener(loop, () -> listening, null, new Gate(new AllowList(List.of())), null);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    listener.begin();
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
      assertThat(List.copyOf(lines.list())).hasSizeLessThan(40);
      Await.until("it to accept again", () -> listening.config().isAutoRead());
    } finally {
      loop.submit(listener::close).syncUninterruptibly();
      loop.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
