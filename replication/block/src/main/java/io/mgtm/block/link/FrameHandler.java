package io.mgtm.block.link;

import io.netty.buffer.ByteBuf;

/** Takes the frames of one connection. */
interface FrameHandler {
  /**
   * A whole frame, its checksum verified.
   *
   * @param payload restored if it was compressed; stays the caller's
   * @param rangeLength unsigned
   * @throws LinkException when the frame may not come now
   */
  void frame(int type, int flags, long seq, long offset, long rangeLength, ByteBuf payload)
      throws LinkException;

  /** Whether to hold back further frames for now. */
  boolean isBlocked();
}
