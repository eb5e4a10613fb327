package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * Keeps what a read left undecoded for the next one. While there is nothing, reads are decoded
 * where they are and nothing is copied. Event loop of its connection.
 */
public final class PartialBuffer {
  private ByteBuf kept;

  /** Where the frame begins that was kept last. */
  private int keptFrom;

  /** What is to be decoded now: the read alone, or behind what was kept. */
  public ByteBuf join(ByteBuf read) {
    return kept == null ? read : kept.writeBytes(read);
  }

  /** What was kept, or null. */
  public ByteBuf kept() {
    return kept;
  }

  /**
   * Keeps what was not decoded.
   *
   * @param joined what {@link #join} or {@link #kept} gave
   * @return whether a frame begins with what is kept: nothing was kept before, or that is decoded
   */
  public boolean keepRest(ByteBuf joined) {
    if (!joined.isReadable()) {
      release();
      return false;
    }
    boolean begins = kept == null || kept.readerIndex() != keptFrom;
    if (kept == null) {
      int bytes = joined.readableBytes();
      kept = PooledByteBufAllocator.DEFAULT.directBuffer(bytes).writeBytes(joined);
    } else {
      kept.discardSomeReadBytes();
    }
    keptFrom = kept.readerIndex();
    return begins;
  }

  /** Forgets what was kept. */
  public void release() {
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }
}
