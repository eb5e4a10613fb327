package io.mgtm.gtm.net;

import io.netty.buffer.ByteBuf;

/**
 * What waits takes no more memory than about its bytes, since bytes are what is counted; what is
 * written at once may stand in a large buffer that is used again. Any thread.
 */
public final class FittedBuffer {
  private FittedBuffer() {}

  /** What to keep in place of bytes that are given away. */
  public static ByteBuf of(ByteBuf bytes) {
    int count = bytes.readableBytes();
    if (count > bytes.capacity() / 2) {
      return bytes;
    }
    try {
      return bytes.alloc().ioBuffer(count).writeBytes(bytes);
    } finally {
      bytes.release();
    }
  }
}
