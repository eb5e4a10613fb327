package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * A buffer that each event loop uses again and again: for what it reads, or for what it answers.
 * Almost always the last user has released it by the time of the next; while one keeps it, others
 * get a fresh one from the pool. Any thread may release what another took.
 */
public final class LoopBuffer {
  private final int bytes;
  private final FastThreadLocal<ByteBuf> kept =
      new FastThreadLocal<>() {
        @Override
        protected ByteBuf initialValue() {
          return newBuffer();
        }

        @Override
        protected void onRemoval(ByteBuf buffer) {
          buffer.release();
        }
      };

  /**
   * Makes the buffers.
   *
   * @param bytes their capacity; one grows, for good, when more is written
   */
  public LoopBuffer(int bytes) {
    this.bytes = bytes;
  }

  private ByteBuf newBuffer() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(bytes);
  }

  /** An empty buffer of this thread's; the caller releases it. */
  public ByteBuf take() {
    ByteBuf buffer = kept.get();
    return buffer.refCnt() == 1 ? buffer.clear().retain() : newBuffer();
  }
}
