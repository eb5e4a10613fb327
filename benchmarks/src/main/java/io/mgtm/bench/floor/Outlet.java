package io.mgtm.bench.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Collects what goes over a connection in one batch of the event loop, as one frame: its length in
 * four bytes, then the rest. The loop's thread.
 */
final class Outlet {
  private static final int FIRST_BYTES = 16 << 10;

  private final Channel channel;
  private ByteBuf frame;

  Outlet(Channel channel) {
    this.channel = channel;
  }

  /** The frame that leaves next; what is written there is its content. */
  ByteBuf frame() {
    if (frame == null) {
      frame = channel.alloc().directBuffer(FIRST_BYTES).writeInt(0);
    }
    return frame;
  }

  /** Sends the frame, if one was begun. */
  void flush() {
    if (frame != null) {
      frame.setInt(0, frame.readableBytes() - Integer.BYTES);
      channel.writeAndFlush(frame, channel.voidPromise());
      frame = null;
    }
  }
}
