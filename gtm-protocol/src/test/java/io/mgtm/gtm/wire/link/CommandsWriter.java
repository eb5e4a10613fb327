package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.netty.buffer.ByteBuf;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/**
 * Writes a {@code COMMANDS} frame: begin it, add commands, end it. One object serves one thread.
 *
 * <p>{@code length:i32 type:u8 session:i64 acked:i64 first:i64 count:u32}, then for each command
 * {@code backend:i16} and the command as {@link CommandCodec} writes it.
 */
public final class CommandsWriter {
  private static final int COUNT_OFFSET = LinkFormat.FRAME_HEAD_BYTES + 3 * Long.BYTES;

  /** Room that is tried first for a command. */
  private static final int COMMAND_BYTES_FIRST = 256;

  private ByteBuf out;
  private int start;
  private int count;

  /** Begins a frame. */
  public void begin(ByteBuf to, long session, long acked, long first) {
    out = to;
    start = LinkWriter.begin(to, LinkFrameType.COMMANDS);
    count = 0;
    to.writeLong(session).writeLong(acked).writeLong(first).writeInt(0);
  }

  /**
   * Adds the next command.
   *
   * @return the bytes that it takes
   */
  public int add(short backend, Command command) {
    int from = out.writerIndex();
    out.writeShort(backend);
    for (int room = COMMAND_BYTES_FIRST; !tryAdd(command, room); ) {
      room *= 4;
    }
    count++;
    return out.writerIndex() - from;
  }

  private boolean tryAdd(Command command, int room) {
    out.ensureWritable(room);
    ByteBuffer target = out.nioBuffer(out.writerIndex(), room);
    try {
      CommandCodec.encode(command, target);
    } catch (BufferOverflowException e) {
      if (room > LinkFormat.FRAME_BYTES_MAX) {
        throw e;
      }
      return false;
    }
    out.writerIndex(out.writerIndex() + target.position());
    return true;
  }

  /** What the frame takes so far. */
  public int bytes() {
    return out.writerIndex() - start;
  }

  /** How many commands it has. */
  public int count() {
    return count;
  }

  /** Sets the frame's length and count. */
  public void end() {
    out.setInt(start + COUNT_OFFSET, count);
    LinkWriter.end(out, start);
  }
}
