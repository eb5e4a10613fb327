package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the begin of a frame for the next read, and finds out that a client does not send the rest
 * of it, or that clients together have begun too much. A client whose channel is not read gets the
 * time once more, and is let alone: that is not its fault. Event loop.
 */
public final class InboundWatch {
  private final Channel channel;
  private final PartialBuffer partial = new PartialBuffer();
  private final int withinMs;
  private final PartialBudget budget;
  private final Consumer<String> late;
  private boolean counted;
  private long sinceNanos;
  private boolean watched;

  /**
   * @param budget of all clients; null for none
   * @param late called with the reason, when {@code withinMs} have passed since the frame has begun
   *     or it goes for the sake of others; it closes the connection
   */
  public InboundWatch(Channel channel, int withinMs, PartialBudget budget, Consumer<String> late) {
    this.channel = channel;
    this.withinMs = withinMs;
    this.budget = budget;
    this.late = late;
  }

  /** What is to be decoded now: the read alone, or behind what was kept. */
  public ByteBuf join(ByteBuf read) {
    return partial.join(read);
  }

  /** What was kept, or null. */
  public ByteBuf kept() {
    return partial.kept();
  }

  /**
   * Keeps what was not decoded of what {@link #join} or {@link #kept} gave. When a frame begins
   * with it, its client has {@code withinMs} from now to send the rest.
   *
   * @param timed false while another limit of time holds
   */
  public void keepRest(ByteBuf joined, boolean timed) {
    boolean begins = partial.keepRest(joined);
    if (begins && timed) {
      begins();
    }
    count(begins);
  }

  /** Nothing is kept any more. */
  public void release() {
    partial.release();
    count(false);
  }

  private void count(boolean begins) {
    int bytes = partial.kept() == null ? 0 : partial.kept().readableBytes();
    if (budget == null || (!counted && bytes <= PartialBudget.FREE_BYTES)) {
      return;
    }
    counted = bytes > PartialBudget.FREE_BYTES;
    for (InboundWatch goes : budget.keeps(this, bytes, begins)) {
      goes.channel.eventLoop().execute(goes::makeRoom);
    }
  }

  private void makeRoom() {
    counted = false;
    if (partial.kept() != null && channel.config().isAutoRead()) {
      end("the frames that clients have begun and not ended take too much memory together");
    }
  }

  private void begins() {
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
      end("the rest of a frame did not come within " + withinMs + " ms");
    }
  }

  /** What goes wrong at it is this connection's alone. */
  private void end(String why) {
    try {
      late.accept(why);
    } catch (RuntimeException | Error e) {
      channel.pipeline().fireExceptionCaught(e);
    }
  }
}
