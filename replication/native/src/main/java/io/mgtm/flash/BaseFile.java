package io.mgtm.flash;

import io.mgtm.jni.Errno;
import io.mgtm.jni.SharedHandle;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** What both kinds of file share: their facts, and the handle whose users are counted. */
abstract sealed class BaseFile implements FlashFile permits ChannelFile, UringFile {

  /**
   * What is known of a file once it is open.
   *
   * @param path where it was opened
   * @param writable whether it may be written
   * @param direct whether I/O passes by the page cache
   * @param blockDevice whether it is a block device
   * @param alignmentBytes what I/O must be aligned to
   * @param blockBytes the size of a block
   */
  record Facts(
      Path path,
      boolean writable,
      boolean direct,
      boolean blockDevice,
      int alignmentBytes,
      int blockBytes) {}

  private final Facts facts;
  private final SharedHandle handle;
  private final int alignmentMask;

  /**
   * An open file.
   *
   * @param free given the descriptor once the file is closed and nobody uses it; must not refer to
   *     the file itself
   */
  BaseFile(Facts facts, long descriptor, LongConsumer free) {
    this.facts = facts;
    this.handle = new SharedHandle(this, facts.path().toString(), descriptor, free);
    this.alignmentMask = facts.alignmentBytes() - 1;
  }

  /** Counts a user that needs the file open; see {@link SharedHandle#acquire()}. */
  final long acquire() {
    return handle.acquire();
  }

  /** Ends what {@link #acquire()} began. */
  final void release() {
    handle.release();
  }

  @Override
  public final boolean closed() {
    return handle.closed();
  }

  @Override
  public final void close() {
    handle.close();
  }

  @Override
  public final Path path() {
    return facts.path();
  }

  @Override
  public final boolean writable() {
    return facts.writable();
  }

  @Override
  public final boolean direct() {
    return facts.direct();
  }

  @Override
  public final boolean blockDevice() {
    return facts.blockDevice();
  }

  @Override
  public final int alignmentBytes() {
    return facts.alignmentBytes();
  }

  @Override
  public final int blockBytes() {
    return facts.blockBytes();
  }

  /** Whether a place, length or address is not a multiple of the alignment. */
  final boolean misaligned(long value) {
    return (value & alignmentMask) != 0;
  }

  final void checkResize(long sizeBytes) throws FlashException {
    checkNotNegative("the size", sizeBytes);
    if (blockDevice() || !writable()) {
      Errno errno = blockDevice() ? Errno.EINVAL : Errno.EBADF;
      throw new FlashException("resize", path(), -1, sizeBytes, errno.code());
    }
  }

  final void checkRange(long offset, long length) {
    checkNotNegative("an offset", offset);
    checkNotNegative("a length", length);
  }

  final void checkNotNegative(String what, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(what + " of " + path() + " must not be " + value);
    }
  }

  @Override
  public final String toString() {
    return path() + " (" + engine() + (direct() ? ", direct)" : ")");
  }
}
