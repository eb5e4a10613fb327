package io.mgtm.flash;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A piece of a {@link BufferPool}'s memory, lent to whoever acquired it, with a reference count.
 *
 * <p>It starts with one reference. A queue that is given the buffer holds a reference of its own
 * until the operation is complete, so a caller may release at once after handing it over. When the
 * last reference goes the buffer returns to its pool.
 *
 * <p>The count may be changed by any thread. The bytes have no lock: whoever holds a reference
 * agrees with the others who writes them. The memory is the JVM's own, so that even a view kept
 * after the release is memory (with someone else's bytes in it) and never a crash.
 */
public final class AlignedBuffer {

  private final BufferPool pool;
  private final int poolOffset;
  private final ByteBuffer bytes;
  private final AtomicInteger references = new AtomicInteger();

  AlignedBuffer(BufferPool pool, int poolOffset, ByteBuffer bytes) {
    this.pool = pool;
    this.poolOffset = poolOffset;
    this.bytes = bytes;
  }

  /** The pool that owns the memory. */
  public BufferPool pool() {
    return pool;
  }

  /** Where this buffer starts in {@link BufferPool#memory()}, in bytes. */
  public int poolOffset() {
    return poolOffset;
  }

  /** The buffer's size in bytes. */
  public int capacityBytes() {
    return bytes.capacity();
  }

  /**
   * The bytes, as one and the same direct buffer at each call; its position and limit are the
   * holder's to use and are reset when the buffer is acquired. Queues look at neither.
   *
   * @throws IllegalStateException when nobody holds the buffer
   */
  public ByteBuffer bytes() {
    if (references.get() <= 0) {
      throw new IllegalStateException(this + " is used after its last release");
    }
    return bytes;
  }

  /** How many references there are now; 0 when it lies in its pool. */
  public int references() {
    return references.get();
  }

  /**
   * Adds a reference.
   *
   * @return this
   * @throws IllegalStateException when nobody holds the buffer
   */
  public AlignedBuffer retain() {
    int seen;
    do {
      seen = references.get();
      if (seen <= 0) {
        throw new IllegalStateException(this + " is used after its last release");
      }
    } while (!references.compareAndSet(seen, seen + 1));
    return this;
  }

  /**
   * Drops a reference; the last one returns the buffer to its pool.
   *
   * @throws IllegalStateException when nobody holds the buffer: it was released twice
   */
  public void release() {
    int seen;
    do {
      seen = references.get();
      if (seen <= 0) {
        throw new IllegalStateException(this + " is released more often than held");
      }
    } while (!references.compareAndSet(seen, seen - 1));
    if (seen == 1) {
      pool.takeBack(this);
    }
  }

  void lend() {
    bytes.clear();
    references.set(1);
  }

  @Override
  public String toString() {
    return "buffer of " + capacityBytes() + " bytes at " + poolOffset + " of " + pool;
  }
}
