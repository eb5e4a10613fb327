package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Lets all connections of an event loop read into one buffer. A connection copies what it cannot
 * use at once, so that nobody keeps it.
 */
public final class ReadBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  /** What one read of a client's connection brings at most. */
  public static final int CLIENT_BYTES = 8 * 1024;

  private final int readBytes;
  private final LoopBuffer buffer;

  /**
   * Makes the buffers.
   *
   * @param readBytes the most that one read brings
   */
  public ReadBuffers(int readBytes) {
    this.readBytes = readBytes;
    this.buffer = new LoopBuffer(readBytes);
  }

  @Override
  @SuppressWarnings("deprecation") // Netty's interface has no other way yet.
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return readBytes;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator ignored) {
        return buffer.take();
      }
    };
  }
}
