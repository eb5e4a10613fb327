package io.mgtm.block.store;

import io.mgtm.flash.BufferPool;
import io.mgtm.flash.DirectIo;
import io.mgtm.flash.Flash;
import io.mgtm.flash.FlashException;
import io.mgtm.flash.FlashFile;
import io.mgtm.flash.FlashOptions;
import io.mgtm.flash.FlashQueue;
import io.mgtm.flash.ZeroMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Zeroing and extents of one file by the flash library: hole punching and {@code SEEK_HOLE} where
 * io_uring works; elsewhere zeroing writes zeros and every extent is data.
 */
final class FlashRanges implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlashRanges.class);
  private static final int PROBE_BYTES = 64 * 1024;
  private static final long WAIT_NS = 60_000_000_000L;

  private final FlashFile file;
  private final boolean fast;
  private FlashQueue queue;

  private FlashRanges(FlashFile file, boolean fast) {
    this.file = file;
    this.fast = fast;
  }

  /** Opens {@code path}; a line in the log says where the system gives no help. */
  static FlashRanges open(Path path) throws IOException {
    boolean usable = Flash.available().usable();
    if (!usable) {
      LOG.info("{}: no hole punching, {}", path, Flash.available().reason());
    }
    return new FlashRanges(
        Flash.open(path, options()), usable && Files.isRegularFile(path) && probe(path));
  }

  private static FlashOptions options() {
    return FlashOptions.readWrite().withDirect(DirectIo.OFF);
  }

  /**
   * Tries on a file of its own beside {@code path} whether that file system can punch holes. The
   * file is one hole, so that a full file system is no reason to say no.
   */
  static boolean probe(Path path) {
    try {
      Path trial = Files.createTempFile(path.toAbsolutePath().getParent(), ".mgtm", ".probe");
      try (FlashRanges ranges = new FlashRanges(Flash.open(trial, options()), true)) {
        ranges.file.resize(PROBE_BYTES);
        ranges.run(0, PROBE_BYTES, ZeroMode.UNMAP_FAST);
        return true;
      } finally {
        Files.delete(trial);
      }
    } catch (IOException e) {
      LOG.info("{}: its file system cannot punch holes: {}", path, e.getMessage());
      return false;
    }
  }

  /** Whether zeroing is faster than writing zeros. */
  boolean zeroesFast() {
    return fast;
  }

  /** Makes a range read as zeros. Called by the store's thread only; blocks. */
  void zero(long offset, long length, boolean mayUnmap) throws IOException {
    run(offset, length, mayUnmap ? ZeroMode.UNMAP : ZeroMode.ALLOCATE);
  }

  private void run(long offset, long length, ZeroMode mode) throws FlashException {
    if (queue == null) {
      queue = Flash.openQueue(2, List.of(file), List.<BufferPool>of());
    }
    FlashException[] failure = new FlashException[1];
    queue.zero(file, 0, offset, length, mode);
    int done = 0;
    while (done == 0) {
      done = queue.await(1, WAIT_NS, (tag, bytes, error) -> failure[0] = error);
    }
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  /** Reads a range into the page cache. Called by the prefetcher's thread only; may block. */
  void prefetch(long offset, long length) throws IOException {
    file.prefetch(offset, length);
  }

  /** See {@link BackingStore#forgetCache}. Any thread; blocks. */
  void forgetCache() {
    forgetCache(file);
  }

  /** See {@link BackingStore#forgetCache}. */
  static void forgetCache(FlashFile file) {
    try {
      file.evict();
    } catch (FlashException e) {
      LOG.warn(
          "{}: the page cache may show what the disk has not: {}", file.path(), e.getMessage());
    }
  }

  /** See {@link BackingStore#extentAt}. Any thread. */
  long extentAt(long offset, long length) {
    return extentAt(file, offset, length);
  }

  /** See {@link BackingStore#extentAt}. */
  static long extentAt(FlashFile file, long offset, long length) {
    try {
      long data = file.nextData(offset);
      if (data > offset) {
        return -Math.min(length, data - offset);
      }
      long hole = file.nextHole(offset);
      return hole > offset ? Math.min(length, hole - offset) : length;
    } catch (FlashException e) {
      // To call it data is always right, only slower.
      LOG.debug("extents of {} cannot be told", file.path(), e);
      return length;
    }
  }

  /** Called by the store's thread. */
  @Override
  public void close() {
    if (queue != null) {
      queue.close();
    }
    file.close();
  }
}
