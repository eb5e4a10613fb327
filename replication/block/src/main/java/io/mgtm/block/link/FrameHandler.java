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

  /**
   * How many bytes of payload a frame of {@code type} may have now, or -1 when it may not come:
   * asked before anything is allocated for it.
   */
  default int payloadBytesMax(int type) {
    return Frame.payloadBytesMax(type);
  }

  /** Why a frame of {@code type} may not come now. */
  default String refusalOf(int type) {
    return "a frame of type " + type + " may not come now";
  }

  /** Whether to hold back further frames for now. */
  boolean isBlocked();
}
