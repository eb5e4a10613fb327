package io.mgtm.gtm.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Lets all connections of an event loop read into one buffer. A connection copies what it cannot
 * use at once, so that nobody keeps it.
 */
final class ReadBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  /** The most that one read brings. */
  static final int READ_BYTES = 8 * 1024;

  private final LoopBuffer buffer = new LoopBuffer(READ_BYTES);

  @Override
  @SuppressWarnings("deprecation") // Netty's interface has no other way yet.
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return READ_BYTES;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator ignored) {
        return buffer.take();
      }
    };
  }
}
