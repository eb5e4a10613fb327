package io.mgtm.gtm.net;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Finds out that a client does not send the rest of a frame, or that clients together have begun
 * too much. A client whose channel is not read gets the time once more, and is let alone: that is
 * not its fault. Event loop.
 */
public final class InboundWatch {
  private final Channel channel;
  private final PartialBuffer partial;
  private final int withinMs;
  private final PartialBudget budget;
  private final Consumer<String> late;
  private boolean counted;
  private long sinceNanos;
  private boolean watched;

  /**
   * @param partial keeps what came of the frame
   * @param budget of all clients; null for none
   * @param late called with the reason, when {@code withinMs} have passed since the frame has begun
   *     or it goes for the sake of others; it closes the connection
   */
  public InboundWatch(
      Channel channel,
      PartialBuffer partial,
      int withinMs,
      PartialBudget budget,
      Consumer<String> late) {
    this.channel = channel;
    this.partial = partial;
    this.withinMs = withinMs;
    this.budget = budget;
    this.late = late;
  }

  /**
   * Counts what is kept, after each read and once nothing is kept any more.
   *
   * @param begins whether a frame begins with it, as {@link PartialBuffer#keepRest} said
   */
  public void count(boolean begins) {
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
