package io.mgtm.gtm.gateway;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** The time of an event loop. */
record LoopTime(EventLoop loop) implements GatewayTime {
  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void after(long delayMs, Runnable task) {
    if (!loop.isShuttingDown()) {
      loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }
  }
}
