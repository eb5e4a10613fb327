package io.mgtm.block.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Zeroing without help by the system: zeros are written. Where space may be given back, what reads
 * as zeros already is left alone, so that a sparse file stays sparse.
 */
final class PlainRanges implements RangeOps {
  private static final int PIECE_BYTES = 64 * 1024;

  private final FileChannel channel;
  private final ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE_BYTES).asReadOnlyBuffer();
  private final ByteBuffer present = ByteBuffer.allocateDirect(PIECE_BYTES);

  private final ByteBuffer scratch = ByteBuffer.allocateDirect(PIECE_BYTES);

  PlainRanges(FileChannel channel) {
    this.channel = channel;
  }

  @Override
  public boolean zeroesFast() {
    return false;
  }

  @Override
  public void zero(long offset, long length, boolean mayUnmap) throws IOException {
    for (long done = 0; done < length; ) {
      int piece = (int) Math.min(PIECE_BYTES, length - done);
      if (!mayUnmap || !isZero(offset + done, piece)) {
        ByteBuffer source = zeros.duplicate().limit(piece);
        long position = offset + done;
        while (source.hasRemaining()) {
          position += channel.write(source, position);
        }
      }
      done += piece;
    }
  }

  private boolean isZero(long offset, int length) throws IOException {
    present.clear().limit(length);
    long position = offset;
    while (present.hasRemaining()) {
      int count = channel.read(present, position);
      if (count < 0) {
        return false;
      }
      position += count;
    }
    present.flip();
    return present.mismatch(zeros.duplicate().limit(length)) < 0;
  }

  @Override
  public void prefetch(long offset, long length) throws IOException {
    int count = 0;
    for (long done = 0; count >= 0 && done < length; done += count) {
      scratch.clear().limit((int) Math.min(scratch.capacity(), length - done));
      count = channel.read(scratch, offset + done);
    }
  }

  /** Java has no call for it: what the page cache shows is what there is. */
  @Override
  public void forgetCache() {}

  @Override
  public long extentAt(long offset, long length) {
    return length;
  }

  @Override
  public void close() {}
}
