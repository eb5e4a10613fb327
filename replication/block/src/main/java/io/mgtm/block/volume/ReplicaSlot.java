package io.mgtm.block.volume;

import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.intent.IntentBitmap;

/**
 * What this side knows of one peer's bytes, whether or not a link to it is up.
 *
 * <p>{@code outOfSync} are the chunks that must be sent before the peer equals this side. While a
 * link is attached, chunks written since the last confirmed mark are in {@code sinceMark} or {@code
 * beforeMark}; they become out of sync when the link is lost. A bit is cleared only for a chunk
 * that is in none of the three and was not written for a while ({@code recent}, {@code older}).
 *
 * <p>While a link is attached, bits are set and cleared by aligned groups of chunks, and as many as
 * {@link CoreTiming#keptBytesMax} allows stay set: a write there need not wait for the bitmap's
 * file. Without a link the bits are exact, for then they say what is to be sent.
 */
final class ReplicaSlot {
  final String peer;
  final int chunkBytes;
  final IntentBitmap bitmap;
  final ChunkSet outOfSync;

  /** The newest generation that the peer may have in common with this side. */
  long shared;

  private ChunkSet sinceMark;
  private ChunkSet beforeMark;
  private ChunkSet recent;
  private ChunkSet older;
  private final int groupChunks;
  private long keptMax;
  private boolean retiring;
  private int hand;
  private boolean attached;
  private boolean marking;

  /** A slot whose out-of-sync chunks are those set in {@code bitmap}, or all when {@code full}. */
  ReplicaSlot(String peer, int chunkBytes, CoreTiming timing, IntentBitmap bitmap, boolean full) {
    this.peer = peer;
    this.chunkBytes = chunkBytes;
    this.bitmap = bitmap;
    long group = Math.min(timing.aheadBytes() / chunkBytes, IntentBitmap.PAGE_BYTES * 8L);
    groupChunks = (int) Math.max(1, group);
    keptMax = timing.keptBytesMax() / chunkBytes;
    outOfSync = new ChunkSet(bitmap.size());
    sinceMark = new ChunkSet(bitmap.size());
    beforeMark = new ChunkSet(bitmap.size());
    recent = new ChunkSet(bitmap.size());
    older = new ChunkSet(bitmap.size());
    if (full) {
      outOfSync.fill();
    } else {
      outOfSync.addAll(bitmap.bits());
    }
  }

  int firstChunk(Change change) {
    return (int) (change.offset / chunkBytes);
  }

  int lastChunk(Change change) {
    return (int) ((change.offset + change.length - 1) / chunkBytes);
  }

  /** Sets the bits of a change about to start; answers whether the file holds them all. */
  boolean markIntent(Change change) {
    boolean durable = true;
    for (int chunk = firstChunk(change), last = lastChunk(change); chunk <= last; chunk++) {
      durable &= bitmap.set(chunk);
    }
    if (!durable && attached) {
      setAround(change);
    }
    return durable;
  }

  private void setAround(Change change) {
    int last = groupEnd(lastChunk(change));
    for (int chunk = groupStart(firstChunk(change)); chunk < last; chunk++) {
      bitmap.set(chunk);
    }
  }

  private int groupStart(int chunk) {
    return chunk - chunk % groupChunks;
  }

  private int groupEnd(int chunk) {
    return Math.min(bitmap.size(), groupStart(chunk) + groupChunks);
  }

  /** Notes that a change starts, or ends after a mark began in between. */
  void touch(Change change) {
    for (int chunk = firstChunk(change), last = lastChunk(change); chunk <= last; chunk++) {
      recent.add(chunk);
      if (attached) {
        sinceMark.add(chunk);
      } else {
        outOfSync.add(chunk);
      }
    }
  }

  /** Notes that the two sides may differ where {@code change} went, for good. */
  void spoil(Change change) {
    for (int chunk = firstChunk(change), last = lastChunk(change); chunk <= last; chunk++) {
      bitmap.set(chunk);
      outOfSync.add(chunk);
    }
  }

  /**
   * Whether every chunk of the change waits for resync, so that sending the change would be of no
   * use.
   */
  boolean isWhollyOutOfSync(Change change) {
    if (outOfSync.isEmpty()) {
      return false;
    }
    for (int chunk = firstChunk(change), last = lastChunk(change); chunk <= last; chunk++) {
      if (!outOfSync.contains(chunk)) {
        return false;
      }
    }
    return true;
  }

  boolean isAttached() {
    return attached;
  }

  void attach() {
    attached = true;
  }

  /** The link is lost: what was not confirmed counts as different. */
  void detach() {
    attached = false;
    marking = false;
    outOfSync.addAll(sinceMark);
    outOfSync.addAll(beforeMark);
    sinceMark.clear();
    beforeMark.clear();
  }

  boolean isMarking() {
    return marking;
  }

  boolean needsMark() {
    return attached && !marking && (!sinceMark.isEmpty() || excessBits() > 0);
  }

  /** How many bits more than may be are set although nothing differs, as far as is known. */
  private long excessBits() {
    return (long) bitmap.cardinality() - outOfSync.cardinality() - keptMax;
  }

  /**
   * No bit is to stay set where nothing differs, however recent: this side is about to stop. Called
   * when nothing is under way.
   */
  void retire() {
    keptMax = 0;
    retiring = true;
  }

  /** Whether every bit that is set is of a chunk that must be sent. */
  boolean isExact() {
    return bitmap.cardinality() == outOfSync.cardinality();
  }

  void beginMark() {
    marking = true;
    ChunkSet swap = beforeMark;
    beforeMark = sinceMark;
    sinceMark = swap;
  }

  /** Both sides have everything before the mark on stable storage. */
  void endMark(boolean confirmed) {
    if (!marking) {
      return;
    }
    marking = false;
    if (!confirmed) {
      sinceMark.addAll(beforeMark);
    }
    beforeMark.clear();
    if (confirmed) {
      clearColdBits();
    }
  }

  /** Goes round the groups, on from where it ended the last time, until no more are to go. */
  private void clearColdBits() {
    long excess = excessBits();
    int begun = hand;
    boolean wrapped = false;
    while (excess > 0) {
      int chunk = bitmap.bits().next(hand);
      if (chunk < 0) {
        if (wrapped) {
          return;
        }
        wrapped = true;
        hand = 0;
        continue;
      }
      int start = groupStart(chunk);
      if (wrapped && start >= begun) {
        return;
      }
      int end = groupEnd(chunk);
      hand = end;
      if (isCold(start, end)) {
        excess -= clear(start, end);
      }
    }
  }

  private boolean isCold(int start, int end) {
    boolean written = recent.intersects(start, end) || older.intersects(start, end);
    return (retiring || !written)
        && !outOfSync.intersects(start, end)
        && !sinceMark.intersects(start, end)
        && !beforeMark.intersects(start, end);
  }

  private int clear(int start, int end) {
    int before = bitmap.cardinality();
    for (int chunk = start; chunk < end; chunk++) {
      bitmap.clear(chunk);
    }
    return before - bitmap.cardinality();
  }

  /** Without a link the bits are what would be sent after a restart: no more than differs. */
  private void clearUnneededBits() {
    for (int chunk = bitmap.bits().next(0); chunk >= 0; chunk = bitmap.bits().next(chunk + 1)) {
      if (!outOfSync.contains(chunk)) {
        bitmap.clear(chunk);
      }
    }
  }

  /** Lets chunks not written since the last call cool down. */
  void age() {
    ChunkSet swap = older;
    older = recent;
    recent = swap;
    recent.clear();
    if (!attached && !isExact()) {
      clearUnneededBits();
    }
  }

  /** A chunk was sent as part of a resync: it is in sync once confirmed. */
  void chunkSent(int chunk) {
    outOfSync.remove(chunk);
    sinceMark.add(chunk);
  }

  /** A chunk was found equal on both sides. */
  void chunkEqual(int chunk) {
    outOfSync.remove(chunk);
    sinceMark.add(chunk);
  }

  /** The chunk differs, or may. */
  void chunkDiffers(int chunk) {
    bitmap.set(chunk);
    outOfSync.add(chunk);
  }

  /** Nothing differs any more: this side took everything over from the peer. */
  void reset() {
    outOfSync.clear();
    sinceMark.clear();
    beforeMark.clear();
    for (int chunk = bitmap.bits().next(0); chunk >= 0; chunk = bitmap.bits().next(chunk + 1)) {
      bitmap.clear(chunk);
    }
  }

  void grow(int chunks) {
    bitmap.grow(chunks);
    outOfSync.grow(chunks);
    sinceMark.grow(chunks);
    beforeMark.grow(chunks);
    recent.grow(chunks);
    older.grow(chunks);
  }
}
