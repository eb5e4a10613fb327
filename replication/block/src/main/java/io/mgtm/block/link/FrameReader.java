package io.mgtm.block.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;

/**
 * Cuts a stream of bytes into frames and checks them. Not thread-safe.
 *
 * <p>A frame that lies whole in what was received is not copied; one that is cut is gathered into a
 * buffer of its size, which was checked against the type's limit before.
 */
final class FrameReader {
  private final ByteBufAllocator allocator;
  private final FrameHandler handler;
  private final CRC32C crc = new CRC32C();
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
  private ByteBuf partial;

  FrameReader(ByteBufAllocator allocator, FrameHandler handler) {
    this.allocator = allocator;
    this.handler = handler;
  }

  /** Takes {@code in}, which the reader owns from here on. */
  void feed(ByteBuf in) throws LinkException {
    waiting.add(in);
    drain();
  }

  /** Goes on with what was held back. */
  void drain() throws LinkException {
    while (!waiting.isEmpty() && !handler.isBlocked()) {
      ByteBuf in = waiting.peek();
      while (in.isReadable() && !handler.isBlocked()) {
        step(in);
      }
      if (!in.isReadable() && !waiting.isEmpty()) {
        waiting.poll().release();
      }
    }
  }

  /** Whether bytes are held back. */
  boolean holdsBack() {
    return !waiting.isEmpty();
  }

  private void step(ByteBuf in) throws LinkException {
    if (partial == null) {
      if (in.readableBytes() >= Frame.HEADER_BYTES) {
        int total = frameBytes(in);
        if (in.readableBytes() >= total) {
          ByteBuf frame = in.readSlice(total);
          deliver(frame);
          return;
        }
        partial = allocator.directBuffer(total, total);
      } else {
        partial =
            allocator.directBuffer(
                Frame.HEADER_BYTES, Frame.PAYLOAD_BYTES_MAX + Frame.HEADER_BYTES);
      }
    }
    if (partial.writerIndex() < Frame.HEADER_BYTES) {
      int missing = Frame.HEADER_BYTES - partial.writerIndex();
      partial.writeBytes(in, Math.min(missing, in.readableBytes()));
      if (partial.writerIndex() < Frame.HEADER_BYTES) {
        return;
      }
    }
    int total = frameBytes(partial);
    partial.writeBytes(in, Math.min(total - partial.writerIndex(), in.readableBytes()));
    if (partial.writerIndex() == total) {
      ByteBuf frame = partial;
      partial = null;
      try {
        deliver(frame);
      } finally {
        frame.release();
      }
    }
  }

  private int frameBytes(ByteBuf frame) throws LinkException {
    int at = frame.readerIndex();
    if (frame.getInt(at) != Frame.MAGIC) {
      throw new LinkException("a frame does not begin with the link's magic number");
    }
    int type = frame.getUnsignedByte(at + 4);
    if (type < 1 || type > Frame.TYPE_MAX) {
      throw new LinkException("a frame has the unknown type " + type);
    }
    long length = frame.getUnsignedInt(at + 8);
    int lengthMax = handler.payloadBytesMax(type);
    if (lengthMax < 0) {
      throw new LinkException(handler.refusalOf(type));
    }
    if (length > lengthMax) {
      throw new LinkException(
          "a frame of type " + type + " has " + length + " bytes, more than it may");
    }
    return Frame.HEADER_BYTES + (int) length;
  }

  private void deliver(ByteBuf frame) throws LinkException {
    int at = frame.readerIndex();
    int length = frame.readableBytes() - Frame.HEADER_BYTES;
    crc.reset();
    crc.update(frame.internalNioBuffer(at, Frame.CRC_AT));
    if (length > 0) {
      crc.update(frame.internalNioBuffer(at + Frame.HEADER_BYTES, length));
    }
    if ((int) crc.getValue() != frame.getInt(at + Frame.CRC_AT)) {
      throw new LinkException("a frame's checksum is wrong");
    }
    int type = frame.getUnsignedByte(at + 4);
    int flags = frame.getUnsignedByte(at + 5);
    long range = frame.getUnsignedInt(at + 12);
    long seq = frame.getLong(at + 16);
    long offset = frame.getLong(at + 24);
    ByteBuf payload =
        length == 0 ? Unpooled.EMPTY_BUFFER : frame.slice(at + Frame.HEADER_BYTES, length);
    boolean data = type == Frame.WRITE || type == Frame.DATA;
    if (data && (flags & (Frame.FLAG_LZ4 | Frame.FLAG_ZSTD)) != 0) {
      if (range > Frame.PAYLOAD_BYTES_MAX) {
        throw new LinkException("a frame says that it restores to " + range + " bytes");
      }
      ByteBuf restored = Compression.restore(allocator, flags, payload, (int) range);
      try {
        handler.frame(type, flags, seq, offset, range, restored);
      } finally {
        restored.release();
      }
    } else {
      handler.frame(type, flags, seq, offset, range, payload);
    }
  }

  /** Frees what is held. */
  void close() {
    for (ByteBuf buffer = waiting.poll(); buffer != null; buffer = waiting.poll()) {
      buffer.release();
    }
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }
}
