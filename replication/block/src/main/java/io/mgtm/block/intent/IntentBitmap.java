package io.mgtm.block.intent;

/**
 * The write-intent bits of one replica, and which of them the bitmap's file is known to hold. Pure:
 * it says what is to be written, another class writes it.
 *
 * <p>The bits are written in pages of {@value #PAGE_BYTES} bytes. Setting a bit makes its page
 * urgent (a write waits for it); clearing a bit makes its page merely stale, to be written along
 * with the next batch. One batch is under way at a time. A bit counts as durable only after a batch
 * that was begun with the bit set has succeeded and the bit was not cleared since.
 *
 * <p>Not thread-safe: the volume's owner thread calls it.
 */
public final class IntentBitmap {
  /** Bytes of the bits of a page, the unit of writing. */
  public static final int PAGE_BYTES = 4032;

  private static final int PAGE_CHUNKS = PAGE_BYTES * 8;

  private final ChunkSet wanted;
  private final ChunkSet durable;
  private ChunkSet stalePages;
  private ChunkSet writingPages;
  private ChunkSet pending;
  private ChunkSet batched;
  private boolean writing;

  /** A bitmap over {@code chunks} chunks, none set, whose file holds no set bit. */
  public IntentBitmap(int chunks) {
    wanted = new ChunkSet(chunks);
    durable = new ChunkSet(chunks);
    pending = new ChunkSet(chunks);
    batched = new ChunkSet(chunks);
    stalePages = new ChunkSet(pagesFor(chunks));
    writingPages = new ChunkSet(pagesFor(chunks));
  }

  /** How many pages {@code chunks} bits fill. */
  public static int pagesFor(int chunks) {
    return (int) (((long) chunks + PAGE_CHUNKS - 1) / PAGE_CHUNKS);
  }

  /** The number of chunks. */
  public int size() {
    return wanted.size();
  }

  /** How many bits are set. */
  public int cardinality() {
    return wanted.cardinality();
  }

  /** The bits as they are to be, for reading only. */
  public ChunkSet bits() {
    return wanted;
  }

  /** Takes over a bit that the file already holds, at opening. */
  public void load(int chunk) {
    wanted.add(chunk);
    durable.add(chunk);
  }

  /** Sets a bit; answers whether the file already holds it, so that a write need not wait. */
  public boolean set(int chunk) {
    if (wanted.add(chunk)) {
      stalePages.add(chunk / PAGE_CHUNKS);
    }
    if (durable.contains(chunk)) {
      return true;
    }
    if (!batched.contains(chunk)) {
      pending.add(chunk);
    }
    return false;
  }

  /** Whether the file holds this bit. */
  public boolean isDurable(int chunk) {
    return durable.contains(chunk);
  }

  /**
   * Clears a bit. From here on the file is not counted on to hold it, though it may until the page
   * is written.
   */
  public void clear(int chunk) {
    if (wanted.remove(chunk)) {
      durable.remove(chunk);
      stalePages.add(chunk / PAGE_CHUNKS);
      pending.remove(chunk);
      batched.remove(chunk);
    }
  }

  /** Whether a write waits for a bit that no batch under way covers. */
  public boolean isUrgent() {
    return !pending.isEmpty();
  }

  /** Whether some page of the file differs from the bits. */
  public boolean isStale() {
    return !stalePages.isEmpty();
  }

  /** Whether a batch is under way. */
  public boolean isWriting() {
    return writing;
  }

  /**
   * Begins a batch: the stale pages as they are now are to be copied (with {@link #copyPage})
   * before this thread does anything else, and written and synchronized by whoever does the input
   * and output.
   *
   * @return the pages of the batch, valid until {@link #endBatch}
   * @throws IllegalStateException when a batch is under way
   */
  public ChunkSet beginBatch() {
    if (writing) {
      throw new IllegalStateException("a bitmap batch is under way already");
    }
    ChunkSet pages = stalePages;
    stalePages = writingPages;
    writingPages = pages;
    ChunkSet bits = pending;
    pending = batched;
    batched = bits;
    writing = true;
    return pages;
  }

  /** Copies one page's bytes, lowest chunk in the lowest bit of the first byte. */
  public void copyPage(int page, byte[] target) {
    int firstWord = page * (PAGE_BYTES / Long.BYTES);
    for (int i = 0; i < PAGE_BYTES / Long.BYTES; i++) {
      int index = firstWord + i;
      long word = index < wanted.wordCount() ? wanted.word(index) : 0;
      for (int b = 0; b < Long.BYTES; b++) {
        target[i * Long.BYTES + b] = (byte) (word >>> (8 * b));
      }
    }
  }

  /**
   * Ends the batch. On success the bits that were set when it began are durable, unless cleared
   * since; on failure its pages are stale and its bits pending again.
   */
  public void endBatch(boolean succeeded) {
    if (!writing) {
      throw new IllegalStateException("no bitmap batch is under way");
    }
    writing = false;
    if (succeeded) {
      durable.addAll(batched);
    } else {
      stalePages.addAll(writingPages);
      pending.addAll(batched);
    }
    writingPages.clear();
    batched.clear();
  }

  /** Ranges over more chunks from now on; the new ones are clear. No batch may be under way. */
  public void grow(int chunks) {
    if (writing) {
      throw new IllegalStateException("a bitmap cannot grow while a batch is under way");
    }
    wanted.grow(chunks);
    durable.grow(chunks);
    pending.grow(chunks);
    batched.grow(chunks);
    stalePages.grow(pagesFor(chunks));
    writingPages.grow(pagesFor(chunks));
  }
}
