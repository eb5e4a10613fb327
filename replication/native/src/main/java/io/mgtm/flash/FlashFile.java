package io.mgtm.flash;

import java.nio.file.Path;

/**
 * An open file or block device. Bytes are read and written by a {@link FlashQueue}; here is what
 * concerns the file as a whole. All methods may be called by any thread and block.
 *
 * <p>Methods throw {@link IllegalStateException} after {@link #close()}, and {@link FlashException}
 * when the system refuses.
 */
public sealed interface FlashFile extends AutoCloseable permits BaseFile {

  /** What Linux reads ahead by default, and therefore at one call at least. */
  int PREFETCH_BYTES_MAX = 128 * 1024;

  /** Where it was opened. */
  Path path();

  /** What carries out its I/O; never {@link FlashEngine#AUTO}. */
  FlashEngine engine();

  /** Whether it may be written. */
  boolean writable();

  /** Whether I/O passes by the page cache. */
  boolean direct();

  /** Whether it is a block device. */
  boolean blockDevice();

  /**
   * What offsets, lengths and memory addresses of reads and writes must be multiples of, in bytes;
   * 1 when I/O goes through the page cache. A power of 2, at most {@link
   * BufferPool#ALIGNMENT_BYTES}.
   */
  int alignmentBytes();

  /** The size of a block: a device's logical block, a file system's preferred I/O size. */
  int blockBytes();

  /** The size in bytes now. */
  long sizeBytes() throws FlashException;

  /**
   * Makes a regular file longer (with a hole) or shorter.
   *
   * @throws FlashException EINVAL for a block device, EBADF when it is not writable
   */
  void resize(long sizeBytes) throws FlashException;

  /** Returns when the data and what is needed to find it are durable (fdatasync). */
  void sync() throws FlashException;

  /**
   * Where data next begins at or after an offset; the size when there is only a hole. An engine or
   * file system that cannot tell calls all of it data.
   */
  long nextData(long offset) throws FlashException;

  /** Where a hole next begins at or after an offset; the size when there is none before it. */
  long nextHole(long offset) throws FlashException;

  /**
   * Asks the system to bring a range into the page cache, from which it may take as little as it
   * likes: kernels take no more than {@link #PREFETCH_BYTES_MAX} at a call for sure. Does nothing
   * for a file that passes by the page cache.
   */
  void prefetch(long offset, long length) throws FlashException;

  /**
   * Asks the system to take the file out of the page cache, so that what is read next comes from
   * the disk; what was changed and is not written yet stays there. Does nothing for a file that
   * passes by the page cache, and with {@link FlashEngine#FILE_CHANNEL}, for Java has no such call.
   */
  void evict() throws FlashException;

  /** Whether {@link #close()} was called. */
  boolean closed();

  /**
   * Refuses further operations. The file itself is closed when the queues that were opened with it
   * are closed too. Further calls do nothing.
   */
  @Override
  void close();
}
