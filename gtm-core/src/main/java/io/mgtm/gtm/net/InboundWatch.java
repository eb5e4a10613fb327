package io.mgtm.gtm.net;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * Finds out that a client does not send the rest of a frame. While its channel is not read, it is
 * given time anew: that is not its fault. Event loop.
 */
public final class InboundWatch {
  private final Channel channel;
  private final PartialBuffer partial;
  private final int withinMs;
  private final Runnable late;
  private long sinceNanos;
  private boolean watched;

  /**
   * @param partial keeps what came of the frame
   * @param late called when {@code withinMs} have passed since the frame has begun; it closes the
   *     connection
   */
  public InboundWatch(Channel channel, PartialBuffer partial, int withinMs, Runnable late) {
    this.channel = channel;
    this.partial = partial;
    this.withinMs = withinMs;
    this.late = late;
  }

  /** A frame has begun, and its client has {@code withinMs} from now to send the rest. */
  public void begins() {
    restart();
    if (!watched) {
      lookAfter(TimeUnit.MILLISECONDS.toNanos(withinMs));
    }
  }

  /** Lets the channel be read, or not; either way the client has as much time from now. */
  public void setReading(boolean read) {
    if (channel.config().isAutoRead() != read) {
      restart();
      channel.config().setAutoRead(read);
    }
  }

  private void restart() {
    sinceNanos = System.nanoTime();
  }

  private void lookAfter(long nanos) {
    watched = true;
    channel.eventLoop().schedule(this::look, nanos, TimeUnit.NANOSECONDS);
  }

  private void look() {
    watched = false;
    if (partial.kept() == null) {
      return;
    }
    if (!channel.config().isAutoRead()) {
      restart();
    }
    long leftNanos = TimeUnit.MILLISECONDS.toNanos(withinMs) - (System.nanoTime() - sinceNanos);
    if (leftNanos > 0) {
      lookAfter(leftNanos);
    } else {
      end();
    }
  }

  /** What goes wrong at it is this connection's alone. */
  private void end() {
    try {
      late.run();
    } catch (RuntimeException | Error e) {
      channel.pipeline().fireExceptionCaught(e);
    }
  }
}
