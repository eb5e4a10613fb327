package io.mgtm.flash;

/** What carries out the I/O of a {@link FlashFile}. */
public enum FlashEngine {
  /** {@link #IO_URING} where it works, {@link #FILE_CHANNEL} elsewhere. */
  AUTO,
  /** The kernel's io_uring, through JNI; see {@link Flash#available()}. */
  IO_URING,
  /** The JDK's FileChannel, on the calling thread; works everywhere, one operation at a time. */
  FILE_CHANNEL
}
