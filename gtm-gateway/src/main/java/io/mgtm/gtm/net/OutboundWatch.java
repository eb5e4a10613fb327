package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.TimeUnit;

/**
 * Finds out that a client does not take what is sent to it. While replies pile up, it looks every
 * {@code withinMs}: when nothing at all has moved between two looks, the client is stuck. Event
 * loop.
 */
public final class OutboundWatch {
  /**
   * How far the sending had come: the message that is sent now, its sent bytes, all unsent bytes.
   */
  private record Position(Object message, long sentBytes, long unsentBytes) {
    boolean isSameAs(Position other) {
      return message == other.message
          && sentBytes == other.sentBytes
          && unsentBytes == other.unsentBytes;
    }
  }

  private final Channel channel;
  private final int withinMs;
  private final Runnable stuck;
  private Position seen;
  private boolean closing;

  /**
   * @param stuck called once at most; it closes the connection
   */
  public OutboundWatch(Channel channel, int withinMs, Runnable stuck) {
    this.channel = channel;
    this.withinMs = withinMs;
    this.stuck = stuck;
  }

  /** More waits for the client than it may. */
  public void start() {
    if (seen == null) {
      look();
    }
  }

  /** Once everything is sent, the connection closes. */
  public void closing() {
    closing = true;
    start();
  }

  /**
   * What to write in place of bytes that are given away, which may have to wait behind others. Any
   * thread.
   */
  public ByteBuf fitted(ByteBuf bytes) {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    boolean waits = out != null && out.totalPendingWriteBytes() > 0;
    return waits ? FittedBuffer.of(bytes) : bytes;
  }

  /** What was given to the channel and not taken by its socket. */
  public long unsentBytes() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }

  private void look() {
    ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    if (out == null) {
      return;
    }
    seen = new Position(out.current(), out.currentProgress(), out.totalPendingWriteBytes());
    channel.eventLoop().schedule(this::lookAgain, withinMs, TimeUnit.MILLISECONDS);
  }

  private void lookAgain() {
    Position before = seen;
    seen = null;
    if (!channel.isOpen() || (channel.isWritable() && !closing)) {
      return;
    }
    look();
    if (seen != null && seen.isSameAs(before)) {
      end();
    }
  }

  /** What goes wrong at it is this connection's alone. */
  private void end() {
    try {
      stuck.run();
    } catch (RuntimeException | Error e) {
      channel.pipeline().fireExceptionCaught(e);
    }
  }
}
