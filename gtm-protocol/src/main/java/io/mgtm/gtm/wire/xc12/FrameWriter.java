package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.Names;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes frames: begin one, put its fields, end it. One object serves one thread. */
final class FrameWriter {
  private ByteBuf out;
  private int start;

  /** Begins an {@code 'S'} frame with its result type and, for a proxy, the connection number. */
  FrameWriter beginSuccess(ByteBuf to, ResultType type, boolean proxied, short backend) {
    begin(to, 'S');
    to.writeInt(type.code());
    if (proxied) {
      to.writeShortLE(backend);
    }
    return this;
  }

  /** Begins a {@code 'C'} frame with, from a proxy, the connection number, and its type. */
  FrameWriter beginCommand(ByteBuf to, MessageType type, boolean proxied, short backend) {
    begin(to, 'C');
    if (proxied) {
      to.writeShortLE(backend);
    }
    to.writeInt(type.code());
    return this;
  }

  /** Begins a frame of any type. */
  FrameWriter begin(ByteBuf to, char type) {
    out = to;
    start = to.writerIndex();
    to.writeByte(type);
    to.writeInt(0);
    return this;
  }

  /** Goes on with a frame in another buffer; its length must be set already. */
  void goOn(ByteBuf to) {
    out = to;
  }

  /** Sets the frame's length. */
  void end() {
    out.setInt(start + 1, out.writerIndex() - start - 1);
  }

  FrameWriter putByte(int value) {
    out.writeByte(value);
    return this;
  }

  FrameWriter putZeros(int count) {
    out.writeZero(count);
    return this;
  }

  FrameWriter putBoolean(boolean value) {
    out.writeByte(value ? 1 : 0);
    return this;
  }

  /** As pq_sendint: big-endian. */
  FrameWriter putInt(int value) {
    out.writeInt(value);
    return this;
  }

  /** As pq_sendint of two bytes: big-endian. */
  FrameWriter putShort(int value) {
    out.writeShort(value);
    return this;
  }

  /** Copied from memory: little-endian. */
  FrameWriter putHostInt(int value) {
    out.writeIntLE(value);
    return this;
  }

  /** Copied from memory: little-endian. */
  FrameWriter putHostShort(int value) {
    out.writeShortLE(value);
    return this;
  }

  /** Copied from memory: little-endian. */
  FrameWriter putHostLong(long value) {
    out.writeLongLE(value);
    return this;
  }

  /** The bytes of {@code text}, no length. */
  FrameWriter putBytes(String text) {
    out.writeCharSequence(text, Names.BYTES);
    return this;
  }

  /** Big-endian length and bytes. */
  FrameWriter putString(String text) {
    putInt(text.length());
    return putBytes(text);
  }

  /** Little-endian length and bytes, as gtm_serialize.c has it. */
  FrameWriter putHostString(String text) {
    putHostInt(text.length());
    return putBytes(text);
  }

  /** A C string. */
  FrameWriter putTerminated(String text) {
    putBytes(text);
    return putByte(0);
  }

  /** The gxids, each little-endian, in one copy. */
  FrameWriter putHostInts(Gxids gxids) {
    int bytes = gxids.count() * Integer.BYTES;
    if (bytes == 0) {
      return this;
    }
    out.ensureWritable(bytes);
    ByteBuffer target = out.internalNioBuffer(out.writerIndex(), bytes);
    target.order(ByteOrder.LITTLE_ENDIAN);
    target.asIntBuffer().put(gxids.array(), gxids.offset(), gxids.count());
    target.order(ByteOrder.BIG_ENDIAN);
    out.writerIndex(out.writerIndex() + bytes);
    return this;
  }
}
