package io.mgtm.block.nbd;

import io.mgtm.block.volume.Errno;
import io.mgtm.block.wire.BatchWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes the replies of one connection in the form that was negotiated. */
final class NbdReplyWriter {
  private static final int SIMPLE_BYTES = 16;
  private static final int CHUNK_BYTES = 20;

  /** Each costs system calls on the owner's thread; the client asks for the rest. */
  private static final int EXTENTS_MAX = 32;

  private final BatchWriter writer;
  private final boolean structured;

  NbdReplyWriter(BatchWriter writer, boolean structured) {
    this.writer = writer;
    this.structured = structured;
  }

  /** Answers a request without payload. */
  void done(NbdRequest request, int errno) {
    if (!structured || (errno == Errno.OK && request.command != Nbd.CMD_READ)) {
      ByteBuf out = writer.reserve(SIMPLE_BYTES);
      out.writeInt(Nbd.SIMPLE_REPLY_MAGIC).writeInt(errno).writeLong(request.cookie);
      return;
    }
    if (errno == Errno.OK) {
      chunk(writer.reserve(CHUNK_BYTES), request, Nbd.REPLY_NONE, 0);
      return;
    }
    byte[] text = explain(errno);
    ByteBuf out = writer.reserve(CHUNK_BYTES + 6 + text.length);
    chunk(out, request, Nbd.REPLY_ERROR, 6 + text.length);
    out.writeInt(errno).writeShort(text.length).writeBytes(text);
  }

  /** How many bytes {@link #readHeader} writes. */
  int readHeaderBytes() {
    return structured ? CHUNK_BYTES + 8 : SIMPLE_BYTES;
  }

  /** Begins the successful reply to a read; the bytes follow. */
  void readHeader(ByteBuf out, NbdRequest request) {
    if (structured) {
      chunk(out, request, Nbd.REPLY_OFFSET_DATA, 8 + (int) request.length);
      out.writeLong(request.offset);
    } else {
      out.writeInt(Nbd.SIMPLE_REPLY_MAGIC).writeInt(Errno.OK).writeLong(request.cookie);
    }
  }

  /** Answers a block status request by the extents of the store. */
  void blockStatus(NbdRequest request, int contextId, NbdExport export) {
    int max = (request.flags & Nbd.CMD_FLAG_REQ_ONE) != 0 ? 1 : EXTENTS_MAX;
    ByteBuf out = writer.reserve(CHUNK_BYTES + 4 + 8 * max);
    int start = out.writerIndex();
    chunk(out, request, Nbd.REPLY_BLOCK_STATUS, 0);
    out.writeInt(contextId);
    long offset = request.offset;
    long end = request.offset + request.length;
    for (int count = 0; offset < end && count < max; count++) {
      long extent = export.extentAt(offset, end - offset);
      long length = Math.min(Math.abs(extent), end - offset);
      out.writeInt((int) length).writeInt(extent < 0 ? Nbd.STATE_HOLE | Nbd.STATE_ZERO : 0);
      offset += length;
    }
    out.setInt(start + CHUNK_BYTES - 4, out.writerIndex() - start - CHUNK_BYTES);
  }

  private static void chunk(ByteBuf out, NbdRequest request, int type, int length) {
    out.writeInt(Nbd.STRUCTURED_REPLY_MAGIC);
    out.writeShort(Nbd.REPLY_FLAG_DONE);
    out.writeShort(type);
    out.writeLong(request.cookie);
    out.writeInt(length);
  }

  /** The text that goes with an error in a structured reply. */
  static byte[] explain(int errno) {
    String text =
        switch (errno) {
          case Nbd.EPERM -> "the volume may not be written here";
          case Nbd.EINVAL -> "the request is not valid, or past the end";
          case Nbd.ENOSPC -> "past the end, or no space left";
          case Nbd.EOVERFLOW -> "too long";
          case Nbd.ENOTSUP -> "not fast here";
          case Nbd.ESHUTDOWN -> "the volume is being taken out of service";
          default -> "input/output error";
        };
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
