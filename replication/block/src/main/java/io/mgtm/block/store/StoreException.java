package io.mgtm.block.store;

import java.io.IOException;

/** An input or output error of a backing store, with the NBD error value that a client is told. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The device or file failed: {@code NBD_EIO}. */
  public static final int EIO = 5;

  /** There is no room: {@code NBD_ENOSPC}. */
  public static final int ENOSPC = 28;

  private final int errno;

  /** What, where, and why it failed. */
  public StoreException(int errno, String message, Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /**
   * Wraps an exception of the Java library, telling a full disk from other failures by the system's
   * words.
   */
  public static StoreException of(String operation, long offset, long length, IOException cause) {
    String text = String.valueOf(cause.getMessage());
    boolean full =
        text.contains("No space left")
            || text.contains("ENOSPC")
            || text.contains("EDQUOT")
            || text.contains("quota exceeded")
            || text.contains("File too large");
    return new StoreException(
        full ? ENOSPC : EIO,
        operation + " of " + length + " bytes at offset " + offset + " failed: " + text,
        cause);
  }

  /** The error value for the client. */
  public int errno() {
    return errno;
  }
}
