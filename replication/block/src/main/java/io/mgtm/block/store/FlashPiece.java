package io.mgtm.block.store;

import io.mgtm.flash.AlignedBuffer;
import java.nio.ByteBuffer;

/** A part of a request that is one operation of the ring at a time. The worker's own. */
final class FlashPiece {
  /** What the ring is doing for it. */
  enum Step {
    /** Reading bytes that the caller wants. */
    READ,
    /** Reading whole blocks of which some bytes change. */
    READ_EDGES,
    /** Writing. */
    WRITE,
    /** Zeroing or flushing, without memory. */
    BARE
  }

  FlashRequest request;
  Step step;

  /** Whole blocks: where in the file, and how many bytes. */
  long from;

  int length;

  /** Null for {@link Step#BARE}. */
  AlignedBuffer buffer;

  /** Whether the caller's bytes do not fill its blocks. */
  boolean hasEdges() {
    return from < request.offset || from + length > request.end();
  }

  private long begin() {
    return Math.max(from, request.offset);
  }

  private int count() {
    return (int) (Math.min(from + length, request.end()) - begin());
  }

  /** Copies what the caller writes, or zeros, over the blocks. */
  void fill() {
    int at = (int) (begin() - from);
    ByteBuffer target = buffer.bytes();
    if (request.kind == FlashRequest.Kind.ZERO) {
      for (int i = 0; i < count(); i++) {
        target.put(at + i, (byte) 0);
      }
    } else {
      target.put(at, request.bytes, sourceIndex(), count());
    }
  }

  /** Hands the caller what was read. */
  void deliver() {
    request.bytes.put(sourceIndex(), buffer.bytes(), (int) (begin() - from), count());
  }

  /** How many bytes of the blocks the caller needs to have been read. */
  int wantedBytes() {
    return (int) (begin() - from) + count();
  }

  private int sourceIndex() {
    return request.base + (int) (begin() - request.offset);
  }
}
