package io.mgtm.flash;

/**
 * One io_uring (ring.c, which shows the layout of the area that it shares with {@link RingArea}).
 */
final class RingCalls {

  static final int RECORD_BYTES = 64;
  static final int ANSWER_BYTES = 8;
  static final int TARGETS_MAX = 64;

  static final int READ = 1;
  static final int WRITE = 2;
  static final int READ_VECTOR = 3;
  static final int WRITE_VECTOR = 4;
  static final int SYNC = 5;
  static final int FALLOCATE = 6;

  static final int DURABLE = 1;

  /** Added to {@link #exchange}'s answer when a wake-up ended the wait. */
  static final int WOKEN = 1 << 30;

  private RingCalls() {}

  static native int probe();

  static native long open(
      int depth, long area, int[] files, long[] pools, int wakeupFd, int[] registered);

  static native int exchange(long handle, int submit, int minimum, long timeoutNs);

  static native int close(long handle, long timeoutNs);
}
