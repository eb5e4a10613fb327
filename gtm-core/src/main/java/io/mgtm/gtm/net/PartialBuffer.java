package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * Keeps what a read left undecoded for the next one. While there is nothing, reads are decoded
 * where they are and nothing is copied. Event loop of its connection.
 */
public final class PartialBuffer {
  private ByteBuf kept;

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
   */
  public void keepRest(ByteBuf joined) {
    if (kept == null) {
      if (joined.isReadable()) {
        int bytes = joined.readableBytes();
        kept = PooledByteBufAllocator.DEFAULT.directBuffer(bytes).writeBytes(joined);
      }
    } else if (kept.isReadable()) {
      kept.discardSomeReadBytes();
    } else {
      release();
    }
  }

  /** Forgets what was kept. */
  public void release() {
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }
}
