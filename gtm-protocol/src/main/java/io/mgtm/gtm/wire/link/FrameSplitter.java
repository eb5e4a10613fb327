package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;

/** Takes whole frames from a stream and leaves what has not come whole. */
abstract class FrameSplitter {
  private int frameBytesMax;
  private final boolean nodes;
  private final FrameBody body = new FrameBody();

  /**
   * A decoder at the beginning of a link.
   *
   * @param frameBytesMax the longest frame
   * @param nodes whether nodes send them
   */
  FrameSplitter(int frameBytesMax, boolean nodes) {
    this.frameBytesMax = frameBytesMax;
    this.nodes = nodes;
  }

  /** From the next frame on they may take so many bytes. */
  public final void allowFrames(int bytesMax) {
    frameBytesMax = bytesMax;
  }

  /**
   * Hands over what has come whole, and leaves the rest unread.
   *
   * @throws WireException when the other side breaks the protocol; the link is to be closed
   */
  public void decode(ByteBuf in) throws WireException {
    while (in.readableBytes() >= LinkFormat.FRAME_HEAD_BYTES) {
      int start = in.readerIndex();
      int length = in.getInt(start);
      if (length < 1 || length > frameBytesMax) {
        throw new WireException(
            "a frame of %d bytes; allowed are 1 to %d".formatted(length, frameBytesMax));
      }
      LinkFrameType type = LinkFrameType.ofCode(in.getByte(start + Integer.BYTES));
      if (type == null || type.fromNode() != nodes) {
        throw new WireException(
            "a frame of unknown type " + in.getUnsignedByte(start + Integer.BYTES));
      }
      int end = start + Integer.BYTES + length;
      if (in.writerIndex() < end) {
        return;
      }
      body.wrap(in, start + LinkFormat.FRAME_HEAD_BYTES, end, type);
      frame(type, body);
      body.expectEnd();
      in.readerIndex(end);
    }
  }

  abstract void frame(LinkFrameType type, FrameBody of) throws WireException;
}
