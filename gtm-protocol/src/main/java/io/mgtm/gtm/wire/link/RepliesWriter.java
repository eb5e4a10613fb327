package io.mgtm.gtm.wire.link;

import io.netty.buffer.ByteBuf;

/**
 * Writes a {@code REPLIES} frame around replies that are encoded in place. One object serves one
 * thread.
 *
 * <p>{@code length:i32 type:u8 session:i64 first:i64 count:u32}, then for each reply {@code
 * close:u8 length:i32} and its bytes. For a reply that comes in pieces {@code 2:u8 16:i32 id:i64
 * bytes:i64}.
 */
public final class RepliesWriter {
  static final int PIECES = 2;
  static final int PIECES_BYTES = 2 * Long.BYTES;
  private static final int COUNT_OFFSET = LinkFormat.FRAME_HEAD_BYTES + 2 * Long.BYTES;

  private ByteBuf out;
  private int start;
  private int replyStart;
  private int count;

  /**
   * Begins a frame.
   *
   * @param first the number of the first reply's command
   */
  public void begin(ByteBuf to, long session, long first) {
    out = to;
    start = LinkWriter.begin(to, LinkFrameType.REPLIES);
    count = 0;
    to.writeLong(session).writeLong(first).writeInt(0);
  }

  /** Begins a reply: its bytes are to be written to the same buffer. */
  public void beginReply() {
    replyStart = out.writerIndex();
    out.writeByte(0).writeInt(0);
  }

  /**
   * Ends the reply.
   *
   * @param close whether the client's connection is to be closed after it
   */
  public void endReply(boolean close) {
    out.setBoolean(replyStart, close);
    out.setInt(replyStart + 1, out.writerIndex() - replyStart - 1 - Integer.BYTES);
    count++;
  }

  /**
   * Adds a reply whose bytes come in pieces, when they are asked for.
   *
   * @param id by which they are asked for, on this link
   * @param bytes of them all
   */
  public void pieces(long id, long bytes) {
    out.writeByte(PIECES).writeInt(PIECES_BYTES).writeLong(id).writeLong(bytes);
    count++;
  }

  /** What the frame takes so far. */
  public int bytes() {
    return out.writerIndex() - start;
  }

  /** Sets the frame's length and count. */
  public void end() {
    out.setInt(start + COUNT_OFFSET, count);
    LinkWriter.end(out, start);
  }
}
