package io.mgtm.block.store;

import io.mgtm.block.store.BackingStore.Completion;
import java.nio.ByteBuffer;

/**
 * One call of a {@link FlashStore}. Made by the owner, carried out by the worker, and given back.
 */
final class FlashRequest {
  /** What is asked for. */
  enum Kind {
    READ,
    WRITE,
    ZERO,
    FLUSH
  }

  final Kind kind;
  final long offset;
  final long length;

  /** The caller's bytes, from {@link #base} on; null when there are none. */
  final ByteBuffer bytes;

  final int base;
  final boolean mayUnmap;
  private final Object context;
  private final Completion completion;

  // Whole blocks around the range.
  private final long blocksFrom;
  private final long blocksTo;
  private final boolean edges;

  // The worker's own: where the next piece begins, pieces under way, and what went wrong.
  long next;
  int underWay;
  StoreException failure;

  FlashRequest(
      Kind kind,
      long offset,
      long length,
      ByteBuffer bytes,
      boolean mayUnmap,
      int alignmentBytes,
      Object context,
      Completion completion) {
    this.kind = kind;
    this.offset = offset;
    this.length = length;
    this.bytes = bytes;
    this.base = bytes == null ? 0 : bytes.position();
    this.mayUnmap = mayUnmap;
    this.context = context;
    this.completion = completion;
    this.blocksFrom = offset - offset % alignmentBytes;
    long end = offset + length;
    this.blocksTo = (end + alignmentBytes - 1) / alignmentBytes * alignmentBytes;
    this.edges = blocksFrom != offset || blocksTo != end;
    this.next = blocksFrom;
  }

  long end() {
    return offset + length;
  }

  /** Where the last block ends that the range touches. */
  long blocksTo() {
    return blocksTo;
  }

  /** Whether it begins or ends within a block. */
  boolean hasEdges() {
    return edges;
  }

  boolean changesBytes() {
    return kind == Kind.WRITE || kind == Kind.ZERO;
  }

  boolean sharesBlockWith(FlashRequest other) {
    return blocksFrom < other.blocksTo && other.blocksFrom < blocksTo;
  }

  /** Whether every piece has been begun. */
  boolean isBegun() {
    return kind == Kind.FLUSH ? next > blocksFrom : next >= blocksTo;
  }

  /** Tells the caller, on the owner's thread. */
  void complete() {
    completion.done(context, failure);
  }

  String operation() {
    return switch (kind) {
      case READ -> "read";
      case WRITE -> "write";
      case ZERO -> "zeroing";
      case FLUSH -> "flush";
    };
  }
}
