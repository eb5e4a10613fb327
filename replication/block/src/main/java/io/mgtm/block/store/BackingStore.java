package io.mgtm.block.store;

import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * The file or device that holds a volume's bytes and nothing else.
 *
 * <p>Every method is called by the volume's owner thread. A completion runs on that same thread,
 * either before the call returns or later through the owner's queue; it runs exactly once. The
 * buffer of a call must stay valid and unchanged until the completion has run. Calls whose ranges
 * overlap and of which one changes bytes are never under way at once: the caller sees to that.
 * Offsets and lengths are bytes and lie within {@link #sizeBytes()}: the caller checked that.
 */
public interface BackingStore extends Closeable {
  /** Told how a call ended. */
  @FunctionalInterface
  interface Completion {
    /**
     * Runs once on the owner thread.
     *
     * @param context the context given with the call
     * @param failure null on success
     */
    void done(Object context, StoreException failure);
  }

  /** The size in bytes. */
  long sizeBytes();

  /** Whether reads and writes have completed when the call returns. */
  boolean completesAtOnce();

  /** Fills {@code target}, from its position to its limit, with the bytes at {@code offset}. */
  void read(long offset, ByteBuffer target, Object context, Completion completion);

  /**
   * Writes {@code source}, from its position to its limit, at {@code offset}; not on stable storage
   * before {@link #flush}.
   */
  void write(long offset, ByteBuffer source, Object context, Completion completion);

  /**
   * Makes the range read as zeros.
   *
   * @param mayUnmap whether the space may be given back to the file system or device
   */
  void zero(long offset, long length, boolean mayUnmap, Object context, Completion completion);

  /** Whether {@link #zero} is faster than writing zeros. */
  boolean zeroesFast();

  /**
   * Complete when everything that had completed before the call is on stable storage. One that
   * fails ends with {@link #forgetCache}.
   */
  void flush(Object context, Completion completion);

  /**
   * Asks the system to read the range into the page cache, without waiting for it; nothing for a
   * store that passes the page cache by.
   */
  void prefetch(long offset, long length);

  /**
   * A flush has failed, or may have: reads show from here on what the disk has, as far as the
   * system lets go what its page cache still holds of what it could not write. May block; any
   * thread.
   */
  void forgetCache();

  /**
   * The state of the bytes from {@code offset} on.
   *
   * @return how many bytes from {@code offset} on share its state: positive when they are data,
   *     negative when they are a hole that reads as zeros; never 0, and never beyond {@code length}
   */
  long extentAt(long offset, long length);

  /**
   * Grows the file to {@code sizeBytes}; a device must have grown already. The bytes from {@code
   * fromBytes} on, where the volume ended so far, read as zeros, whatever was there; not on stable
   * storage before {@link #flush}.
   */
  void grow(long fromBytes, long sizeBytes, Object context, Completion completion);

  /** Waits for calls under way and closes. */
  @Override
  void close();
}
