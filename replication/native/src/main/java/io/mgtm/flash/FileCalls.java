package io.mgtm.flash;

/**
 * System calls on one file (file.c). Each answers a number from 0 up, or an errno as a negative
 * number. The caller has checked the arguments and keeps the descriptor open meanwhile.
 */
final class FileCalls {

  static final int WRITABLE = 1;
  static final int CREATE = 2;
  static final int DIRECT = 4;

  static final int OTHER = 0;
  static final int REGULAR = 1;
  static final int DIRECTORY = 2;
  static final int BLOCK_DEVICE = 3;

  /** What direct I/O is aligned to in a file system that does not tell. */
  static final int ALIGNMENT_ASSUMED = 4096;

  private FileCalls() {}

  static native int open(byte[] path, int how);

  static native int close(int fd);

  /** Fills in kind, block size and the alignment of direct I/O (0: it does not work). */
  static native int facts(int fd, long[] facts);

  static native long size(int fd, boolean device);

  static native int resize(int fd, long sizeBytes);

  static native int sync(int fd);

  static native long seek(int fd, long offset, boolean hole);

  static native int prefetch(int fd, long offset, long length);

  static native int evict(int fd);

  static native int discard(int fd, long offset, long length);
}
