package io.mgtm.block.link;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/** How data is compressed on a link; a frame that would not shrink goes as it is. */
public enum Compression {
  /** Not at all. */
  NONE(0),
  /** LZ4: fast. */
  LZ4(Frame.FLAG_LZ4),
  /** zstd, level 1: smaller. */
  ZSTD(Frame.FLAG_ZSTD);

  /** Shorter data is not worth it. */
  private static final int BYTES_MIN = 512;

  private final int flag;

  Compression(int flag) {
    this.flag = flag;
  }

  int flag() {
    return flag;
  }

  /**
   * The compressed bytes in a new direct buffer, or null when {@code data} had better go as it is.
   */
  ByteBuf compress(ByteBufAllocator allocator, ByteBuf data) {
    int length = data.readableBytes();
    if (this == NONE || length < BYTES_MIN) {
      return null;
    }
    int worst =
        this == LZ4
            ? LZ4Factory.fastestInstance().fastCompressor().maxCompressedLength(length)
            : Math.toIntExact(Zstd.compressBound(length));
    ByteBuf out = allocator.directBuffer(worst, worst);
    ByteBuffer source = direct(data);
    ByteBuffer target = out.nioBuffer(0, worst);
    int size;
    if (this == LZ4) {
      size =
          LZ4Factory.fastestInstance()
              .fastCompressor()
              .compress(source, 0, length, target, 0, worst);
    } else {
      size = Math.toIntExact(Zstd.compressDirectByteBuffer(target, 0, worst, source, 0, length, 1));
    }
    if (size >= length - length / 16) {
      out.release();
      return null;
    }
    return out.writerIndex(size);
  }

  /**
   * Restores {@code length} bytes.
   *
   * @throws LinkException when the data is not what it says
   */
  static ByteBuf restore(ByteBufAllocator allocator, int flags, ByteBuf data, int length)
      throws LinkException {
    ByteBuf out = allocator.directBuffer(Math.max(1, length), Math.max(1, length));
    ByteBuffer source = direct(data);
    ByteBuffer target = out.nioBuffer(0, length);
    long size;
    try {
      size =
          (flags & Frame.FLAG_LZ4) != 0
              ? LZ4Factory.fastestInstance()
                  .safeDecompressor()
                  .decompress(source, 0, source.remaining(), target, 0, length)
              : Zstd.decompressDirectByteBuffer(target, 0, length, source, 0, source.remaining());
    } catch (LZ4Exception | ZstdException e) {
      out.release();
      throw new LinkException("compressed data is damaged: " + e.getMessage());
    }
    if (size != length) {
      out.release();
      throw new LinkException("compressed data is damaged: it should give " + length + " bytes");
    }
    return out.writerIndex(length);
  }

  /** zstd takes direct buffers only; TLS hands out others. */
  private static ByteBuffer direct(ByteBuf data) {
    ByteBuffer bytes = data.nioBuffer();
    return bytes.isDirect()
        ? bytes
        : ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
  }
}
