package io.mgtm.gtm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of what a task throws. */
class GuardedLoopTest {
  private final LinkedBlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
  private final MultiThreadIoEventLoopGroup loops = EventLoops.start(1, "guarded", fatal::add);
  private final EventLoop loop = loops.next();

  @AfterEach
  void stop() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void expect(Throwable thrown) throws InterruptedException {
    assertThat(fatal.poll(180, TimeUnit.SECONDS)).isSameAs(thrown);
  }

  @Test
  void aTaskOfNowTells() throws InterruptedException {
    Error error = new OutOfMemoryError("Direct buffer memory");
    loop.execute(
        () -> {
          throw error;
        });
    expect(error);
  }

  @Test
  void aTaskOfLaterTells() throws InterruptedException {
    RuntimeException thrown = new IllegalStateException("a broken invariant");
    Runnable task =
        () -> {
          throw thrown;
        };
    loop.schedule(task, 1, TimeUnit.MILLISECONDS);
    expect(thrown);
    loop.schedule(Executors.callable(task), 1, TimeUnit.MILLISECONDS);
    expect(thrown);
  }

  @Test
  void aPeriodicTaskTellsThatItWillNotBeDoneAgain() throws InterruptedException {
    Error error = new StackOverflowError();
    int[] times = {0};
    loop.scheduleAtFixedRate(
        () -> {
          if (++times[0] == 3) {
            throw error;
          }
        },
        0,
        1,
        TimeUnit.MILLISECONDS);
    expect(error);
  }

  @Test
  void whatIsGoodIsNotTold() throws Exception {
    assertThat(loop.submit(() -> 7).get()).isEqualTo(7);
    assertThat(fatal).isEmpty();
  }
}
