package io.mgtm.gtm.gateway;

import io.mgtm.gtm.net.PartialBuffer;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import io.netty.buffer.ByteBuf;

/**
 * Cuts what an original GTM sends into frames. One that is long is kept until it is whole only when
 * whoever it is for agrees; else its bytes are dropped as they come. Event loop.
 */
final class XcFrames {
  /** Nobody is asked about a frame up to this length. */
  static final int SHORT_BYTES = 64 * 1024;

  /** Result type behind a frame's header, then the connection number. */
  static final int HEAD_BYTES = FrameLimits.HEADER_BYTES + Integer.BYTES + Short.BYTES;

  /** Where frames go. */
  interface Taker {
    /**
     * A long frame begins.
     *
     * @param head its first {@link #HEAD_BYTES}; valid during the call
     * @param bytes of the whole frame, header included
     * @return whether to keep it until it is whole; if not, {@link #frame} is not called for it
     */
    boolean takes(byte type, ByteBuf head, long bytes) throws WireException;

    /**
     * A frame.
     *
     * @param frame whole, with type and length; valid during the call
     */
    void frame(byte type, ByteBuf frame) throws WireException;
  }

  private final Taker taker;
  private final PartialBuffer partial = new PartialBuffer();

  /** What is left of a frame that is not kept. */
  private long toDrop;

  /** Length of the long frame that is kept until it is whole, or 0. */
  private long coming;

  XcFrames(Taker taker) {
    this.taker = taker;
  }

  /** Length of the long frame of which a part has come, or 0. */
  long comingBytes() {
    return coming;
  }

  /** How much is kept of what has come. */
  int keptBytes() {
    ByteBuf kept = partial.kept();
    return kept == null ? 0 : kept.readableBytes();
  }

  /**
   * Takes what was read; the buffer stays the caller's.
   *
   * @throws WireException when the GTM broke the protocol; nothing may be read after it
   */
  void read(ByteBuf bytes) throws WireException {
    ByteBuf in = partial.join(bytes);
    boolean more = true;
    while (more) {
      more = next(in);
    }
    partial.keepRest(in);
  }

  private boolean next(ByteBuf in) throws WireException {
    int dropped = (int) Math.min(toDrop, in.readableBytes());
    in.skipBytes(dropped);
    toDrop -= dropped;
    if (in.readableBytes() < FrameLimits.HEADER_BYTES) {
      return false;
    }
    int start = in.readerIndex();
    byte type = in.getByte(start);
    long bytes = 1L + in.getInt(start + 1);
    if (bytes < FrameLimits.HEADER_BYTES) {
      throw new WireException("a frame of " + bytes + " bytes");
    }
    if (bytes > SHORT_BYTES && coming == 0) {
      if (in.readableBytes() < HEAD_BYTES) {
        return false;
      }
      if (!taker.takes(type, in.slice(start, HEAD_BYTES), bytes)) {
        toDrop = bytes;
        return true;
      }
      coming = bytes;
    }
    if (in.readableBytes() < bytes) {
      return false;
    }
    coming = 0;
    taker.frame(type, in.slice(start, (int) bytes));
    in.skipBytes((int) bytes);
    return true;
  }

  /** Forgets what was kept. */
  void release() {
    coming = 0;
    partial.release();
  }
}
