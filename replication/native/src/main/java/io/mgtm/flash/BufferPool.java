package io.mgtm.flash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Aligned buffers of one size in one piece of direct memory that is allocated once, and so can be
 * registered once with a kernel ring or an RDMA device.
 *
 * <p>All methods may be called by any thread. The pool never grows: an empty one is back pressure.
 *
 * <p>The memory never moves, and is freed by the JVM when nothing refers to the pool, to one of its
 * buffers or to a view of them. Queues and registrations refer to it as long as a kernel or a
 * device may touch it.
 */
public final class BufferPool implements AutoCloseable {

  /** The alignment of every buffer's start in bytes: a page, which suits every device. */
  public static final int ALIGNMENT_BYTES = 4096;

  /** The largest pool, in bytes: what a ring can register in one piece. */
  public static final int POOL_BYTES_MAX = 1 << 30;

  private static final AtomicLong NUMBER = new AtomicLong();

  private final long number = NUMBER.incrementAndGet();
  private final int bufferBytes;
  private final int count;
  private final ByteBuffer memory;
  private final ArrayBlockingQueue<AlignedBuffer> free;
  private volatile boolean closed;

  private BufferPool(int count, int bufferBytes) {
    this.count = count;
    this.bufferBytes = bufferBytes;
    int bytes = count * bufferBytes;
    memory =
        ByteBuffer.allocateDirect(bytes + ALIGNMENT_BYTES)
            .alignedSlice(ALIGNMENT_BYTES)
            .slice(0, bytes)
            .order(ByteOrder.nativeOrder());
    free = new ArrayBlockingQueue<>(count);
    for (int i = 0; i < count; i++) {
      int offset = i * bufferBytes;
      free.add(new AlignedBuffer(this, offset, memory.slice(offset, bufferBytes)));
    }
  }

  /**
   * Allocates a pool.
   *
   * @param count how many buffers, at least 1
   * @param bufferBytes the size of each, a positive multiple of {@link #ALIGNMENT_BYTES}
   * @throws IllegalArgumentException when a size is out of range or all together are more than
   *     {@link #POOL_BYTES_MAX}
   */
  public static BufferPool of(int count, int bufferBytes) {
    if (count < 1) {
      throw new IllegalArgumentException("a pool needs at least 1 buffer, not " + count);
    }
    if (bufferBytes < ALIGNMENT_BYTES || bufferBytes % ALIGNMENT_BYTES != 0) {
      throw new IllegalArgumentException(
          "a buffer's size must be a multiple of "
              + ALIGNMENT_BYTES
              + " bytes, not "
              + bufferBytes);
    }
    if ((long) count * bufferBytes > POOL_BYTES_MAX) {
      throw new IllegalArgumentException(
          count + " buffers of " + bufferBytes + " bytes are more than " + POOL_BYTES_MAX);
    }
    return new BufferPool(count, bufferBytes);
  }

  /** The size of each buffer in bytes. */
  public int bufferBytes() {
    return bufferBytes;
  }

  /** How many buffers there are, lent or not. */
  public int count() {
    return count;
  }

  /** How many buffers can be acquired now. */
  public int available() {
    return free.size();
  }

  /** The whole memory as a view, for registration with a kernel ring or a device. */
  public ByteBuffer memory() {
    return memory.duplicate().order(ByteOrder.nativeOrder());
  }

  /**
   * Borrows a buffer if there is one; its bytes are what its last holder left.
   *
   * @return a buffer with one reference, or {@code null} when all are lent
   * @throws IllegalStateException when the pool is closed
   */
  public AlignedBuffer tryAcquire() {
    checkOpen();
    AlignedBuffer buffer = free.poll();
    if (buffer != null) {
      buffer.lend();
    }
    return buffer;
  }

  /**
   * Borrows a buffer, waiting for one to come back.
   *
   * @param timeoutMs how long to wait at most
   * @throws TimeoutException when none came back in time
   * @throws InterruptedException when the thread was interrupted while it waited
   * @throws IllegalStateException when the pool is closed
   */
  public AlignedBuffer acquire(long timeoutMs) throws InterruptedException, TimeoutException {
    checkOpen();
    AlignedBuffer buffer = free.poll(timeoutMs, TimeUnit.MILLISECONDS);
    if (buffer == null) {
      throw new TimeoutException(
          "all " + count + " buffers of " + this + " stayed lent for " + timeoutMs + " ms");
    }
    buffer.lend();
    return buffer;
  }

  /** Whether {@link #close()} was called. */
  public boolean closed() {
    return closed;
  }

  /**
   * Lends nothing more. Buffers that are lent stay valid until they are released. Further calls do
   * nothing.
   */
  @Override
  public void close() {
    closed = true;
  }

  void takeBack(AlignedBuffer buffer) {
    if (!free.offer(buffer)) {
      throw new IllegalStateException(buffer + " came back to a full pool");
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(this + " is closed");
    }
  }

  @Override
  public String toString() {
    return "pool " + number;
  }
}
