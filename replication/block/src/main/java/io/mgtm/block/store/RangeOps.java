package io.mgtm.block.store;

import java.io.IOException;

/** Zeroing and extents of one file, as far as the system lets a program have them. */
interface RangeOps extends AutoCloseable {
  /** Whether zeroing is faster than writing zeros. */
  boolean zeroesFast();

  /** Makes a range read as zeros. Called by the store's thread only; blocks. */
  void zero(long offset, long length, boolean mayUnmap) throws IOException;

  /** Reads a range into the page cache. Called by the prefetcher's thread only; may block. */
  void prefetch(long offset, long length) throws IOException;

  /** See {@link BackingStore#forgetCache}. Any thread; blocks. */
  void forgetCache();

  /** See {@link BackingStore#extentAt}. Any thread. */
  long extentAt(long offset, long length);

  /** Called by the store's thread. */
  @Override
  void close();
}
