package io.mgtm.flash;

/**
 * Carries out I/O on some files, many operations at a time, for one thread.
 *
 * <p>A queue belongs to the first thread that prepares, submits or waits on it, for good; any other
 * thread may only call {@link #wakeup()} and the getters, gets {@link IllegalStateException} from
 * everything else, {@link #close()} too, and only may close it once its owner has ended.
 *
 * <p>An operation is prepared by {@link #read}, {@link #write} and the like, which cost no system
 * call; {@link #submit()}, {@link #poll} and {@link #await} hand all that were prepared to the
 * kernel in one call. Operations in flight run in any order and side by side: who needs order waits
 * for the completion of the first. The queue holds a reference on each buffer until its completion
 * is delivered.
 *
 * <p>Arguments are checked before anything is prepared: {@link IllegalArgumentException} for a file
 * or buffer's pool that the queue was not opened with, an offset, length or start that the file's
 * alignment forbids, or a range that does not fit; {@link IndexOutOfBoundsException} for a piece
 * outside its buffer; {@link IllegalStateException} for a closed file or queue, a released buffer,
 * a file that is not writable, or a queue that is full. What the system refuses comes as the {@link
 * FlashException} of the completion.
 */
public sealed interface FlashQueue extends AutoCloseable permits SlotQueue {

  /** The most operations that it can hold. */
  int DEPTH_MAX = 4096;

  /** The longest that {@link #await} waits, in nanoseconds: an hour. */
  long TIMEOUT_NS_MAX = 3_600_000_000_000L;

  /** How many operations it can hold. */
  int depth();

  /** How many operations it holds: prepared, running, or complete and not delivered. */
  int inFlight();

  /** How many more operations can be prepared now. */
  int free();

  /**
   * Prepares a read.
   *
   * @param file one of the queue's files
   * @param tag handed to the completion
   * @param offset where in the file
   * @param buffer one of a pool of the queue
   * @param start where in the buffer
   * @param length how many bytes, at least 1
   */
  void read(FlashFile file, long tag, long offset, AlignedBuffer buffer, int start, int length);

  /**
   * Prepares a write. A regular file grows when it is written past its end.
   *
   * @param durable whether the completion comes only when the bytes are durable (FUA)
   * @see #read
   */
  void write(
      FlashFile file,
      long tag,
      long offset,
      AlignedBuffer buffer,
      int start,
      int length,
      boolean durable);

  /** Prepares a read into several pieces of memory; see {@link #read}. */
  void readVector(FlashFile file, long tag, long offset, IoVector vector);

  /** Prepares a write from several pieces of memory; see {@link #write}. */
  void writeVector(FlashFile file, long tag, long offset, IoVector vector, boolean durable);

  /**
   * Prepares an fdatasync. It covers the writes whose completions were delivered before it was
   * prepared, and no others.
   */
  void sync(FlashFile file, long tag);

  /**
   * Prepares the giving back of a range's space. In a regular file the range reads as zeros after
   * it; on a block device it reads as whatever the device likes. On a block device the thread waits
   * for it.
   *
   * @param length in bytes, at least 1; the range must lie inside the file
   */
  void discard(FlashFile file, long tag, long offset, long length);

  /**
   * Prepares the zeroing of a range.
   *
   * @param length in bytes, at least 1; the range must lie inside the file
   */
  void zero(FlashFile file, long tag, long offset, long length, ZeroMode mode);

  /**
   * Hands what was prepared to the kernel, and does not wait.
   *
   * @throws FlashException when the kernel does not take operations at all
   */
  void submit() throws FlashException;

  /**
   * Submits, and delivers the completions that are there.
   *
   * @return how many were delivered
   * @throws FlashException when the kernel does not take operations at all
   */
  int poll(FlashCompletion completion) throws FlashException;

  /**
   * Submits, and delivers completions until there were {@code minimum} of them or nothing is in
   * flight any more, or {@link #wakeup()} was called, or time is up. When nothing was in flight at
   * its begin only the last two end it. What a completion prepares is submitted by the next call.
   *
   * @param minimum how many to wait for, from 1 to the depth
   * @param timeoutNs how long to wait at most, from 0 to {@link #TIMEOUT_NS_MAX}
   * @return how many were delivered
   * @throws FlashException when the kernel does not take operations at all
   */
  int await(int minimum, long timeoutNs, FlashCompletion completion) throws FlashException;

  /** Ends the present {@link #await}, or else the next one. Called by any thread, at any time. */
  void wakeup();

  /** Whether {@link #close()} was called. */
  boolean closed();

  /**
   * Waits for what runs in the kernel (that is what makes it safe to free the memory), forgets what
   * was only prepared, and frees the queue. Completions that were not delivered are dropped.
   * Further calls do nothing.
   *
   * @throws IllegalStateException when another thread owns the queue and still lives
   */
  @Override
  void close();
}
