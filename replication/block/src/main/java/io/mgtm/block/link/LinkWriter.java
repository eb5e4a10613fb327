package io.mgtm.block.link;

import io.mgtm.block.volume.Generations;
import io.mgtm.block.wire.BatchWriter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.PrimitiveIterator;
import java.util.zip.CRC32C;

/**
 * Writes frames to one connection. Called on its event loop. Small data is copied into the batch,
 * large data is not.
 */
final class LinkWriter {
  /** Runs of chunks in one BITS frame. */
  static final int BITS_RUNS_MAX = 4096;

  private static final int COPIED_BYTES_MAX = 16 * 1024;

  private final Channel channel;
  private final BatchWriter writer;
  private final Compression compression;
  private final CRC32C crc = new CRC32C();
  private long bytesBefore;
  private long bytesAfter;

  LinkWriter(Channel channel, Compression compression) {
    this.channel = channel;
    this.writer = new BatchWriter(channel);
    this.compression = compression;
  }

  /** Bytes of data given, and sent after compression. */
  long bytesBefore() {
    return bytesBefore;
  }

  long bytesAfter() {
    return bytesAfter;
  }

  void close() {
    writer.close();
  }

  /** A frame without payload. */
  void bare(int type, int flags, long seq, long offset, long rangeLength) {
    small(type, flags, seq, offset, rangeLength, null);
  }

  void text(int type, byte[] payload) {
    small(type, 0, 0, 0, 0, payload);
  }

  void text(int type, String payload) {
    text(type, payload.getBytes(StandardCharsets.UTF_8));
  }

  private void small(int type, int flags, long seq, long offset, long rangeLength, byte[] payload) {
    int length = payload == null ? 0 : payload.length;
    ByteBuf out = writer.reserve(Frame.HEADER_BYTES + length);
    int start = out.writerIndex();
    header(out, type, flags, length, rangeLength, seq, offset);
    if (payload != null) {
      out.writeBytes(payload);
    }
    seal(out, start, length, null);
  }

  void ack(long received, long written, long durable) {
    ByteBuf out = writer.reserve(Frame.HEADER_BYTES + 24);
    int start = out.writerIndex();
    header(out, Frame.ACK, 0, 24, 0, 0, 0);
    out.writeLong(received).writeLong(written).writeLong(durable);
    seal(out, start, 24, null);
  }

  void checksum(long seq, byte[] checksum) {
    small(Frame.CHECKSUM, 0, seq, 0, 0, checksum);
  }

  void generations(int type, long seq, long chunks, Generations generations) {
    ByteBuf payload = channel.alloc().heapBuffer(8 * generations.ids().size());
    generations.ids().forEach(payload::writeLong);
    byte[] bytes = new byte[payload.readableBytes()];
    payload.readBytes(bytes);
    payload.release();
    small(type, 0, seq, 0, chunks, bytes);
  }

  /** The bytes at {@code offset}, as WRITE or DATA; {@code data} stays the caller's. */
  void data(int type, int flags, long seq, long offset, ByteBuf data) {
    int length = data.readableBytes();
    bytesBefore += length;
    ByteBuf compressed = compression.compress(channel.alloc(), data);
    ByteBuf payload = compressed == null ? data : compressed;
    int payloadLength = payload.readableBytes();
    bytesAfter += payloadLength;
    int allFlags = compressed == null ? flags : flags | compression.flag();
    boolean copied = payloadLength <= COPIED_BYTES_MAX;
    ByteBuf out = writer.reserve(Frame.HEADER_BYTES + (copied ? payloadLength : 0));
    int start = out.writerIndex();
    header(out, type, allFlags, payloadLength, length, seq, offset);
    if (copied) {
      out.writeBytes(payload, payload.readerIndex(), payloadLength);
      seal(out, start, payloadLength, null);
      if (compressed != null) {
        compressed.release();
      }
    } else {
      seal(out, start, 0, payload);
      writer.write(compressed == null ? data.retainedSlice() : compressed);
    }
  }

  /** Sends chunk numbers as runs of first chunk and length. */
  void bits(PrimitiveIterator.OfInt chunks) {
    ByteBuf runs = channel.alloc().heapBuffer(8 * BITS_RUNS_MAX);
    int first = -1;
    int length = 0;
    while (chunks.hasNext()) {
      int chunk = chunks.nextInt();
      if (first >= 0 && chunk == first + length) {
        length++;
        continue;
      }
      if (first >= 0) {
        run(runs, first, length);
      }
      first = chunk;
      length = 1;
    }
    if (first >= 0) {
      run(runs, first, length);
    }
    sendRuns(runs);
    runs.release();
  }

  private void run(ByteBuf runs, int first, int length) {
    runs.writeInt(first).writeInt(length);
    if (runs.readableBytes() >= 8 * BITS_RUNS_MAX) {
      sendRuns(runs);
    }
  }

  private void sendRuns(ByteBuf runs) {
    byte[] bytes = new byte[runs.readableBytes()];
    runs.readBytes(bytes);
    runs.clear();
    text(Frame.BITS, bytes);
  }

  private static void header(
      ByteBuf out,
      int type,
      int flags,
      int payloadLength,
      long rangeLength,
      long seq,
      long offset) {
    out.writeInt(Frame.MAGIC)
        .writeByte(type)
        .writeByte(flags)
        .writeShort(0)
        .writeInt(payloadLength);
    out.writeInt((int) rangeLength).writeLong(seq).writeLong(offset).writeInt(0);
  }

  private void seal(ByteBuf out, int start, int payloadLength, ByteBuf apart) {
    crc.reset();
    crc.update(out.internalNioBuffer(start, Frame.CRC_AT));
    if (payloadLength > 0) {
      crc.update(out.internalNioBuffer(start + Frame.HEADER_BYTES, payloadLength));
    }
    if (apart != null) {
      crc.update(apart.nioBuffer());
    }
    out.setInt(start + Frame.CRC_AT, (int) crc.getValue());
  }
}
