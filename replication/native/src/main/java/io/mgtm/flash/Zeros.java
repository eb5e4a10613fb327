package io.mgtm.flash;

import java.nio.ByteBuffer;

/** Memory that holds zeros and is never written, shared by all who write zeros. */
final class Zeros {

  /** How many bytes there are. */
  static final int BYTES = 1 << 20;

  private static final ByteBuffer MEMORY =
      ByteBuffer.allocateDirect(BYTES + BufferPool.ALIGNMENT_BYTES)
          .alignedSlice(BufferPool.ALIGNMENT_BYTES)
          .slice(0, BYTES)
          .asReadOnlyBuffer();

  private Zeros() {}

  /** A read-only direct buffer of {@link #BYTES} zeros, aligned to a page. */
  static ByteBuffer memory() {
    return MEMORY.duplicate();
  }
}
