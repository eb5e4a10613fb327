package io.mgtm.block.store;

import io.mgtm.flash.BufferPool;
import io.mgtm.flash.DirectIo;
import io.mgtm.flash.Flash;
import io.mgtm.flash.FlashEngine;
import io.mgtm.flash.FlashFile;
import io.mgtm.flash.FlashOptions;
import io.mgtm.flash.FlashQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backing store over io_uring, with or without the page cache. Calls go to a {@link FlashWorker},
 * the thread that owns the ring, and their completions come back to the owner in batches.
 */
final class FlashStore implements BackingStore {
  private static final Logger LOG = LoggerFactory.getLogger(FlashStore.class);
  private static final long CLOSE_MS_MAX = TimeUnit.SECONDS.toMillis(60);

  private final Path path;
  private final FileChannel channel;
  private final FileLock lock;
  private final FlashFile file;
  private final FlashQueue queue;
  private final boolean zeroesFast;
  private final Executor owner;
  private final FlashWorker worker;
  private final Thread thread;
  private final Prefetcher prefetcher;
  private long sizeBytes;
  private boolean closed;

  private FlashStore(
      Path path, FileChannel channel, FlashFile file, Executor owner, EdgeLocks locks)
      throws IOException {
    this.path = path;
    this.channel = channel;
    this.lock = FileLocks.take(path, channel);
    this.file = file;
    this.owner = owner;
    this.sizeBytes = file.sizeBytes();
    this.prefetcher = new Prefetcher(file::prefetch);
    this.zeroesFast = !file.blockDevice() && FlashRanges.probe(path);
    BufferPool small = FlashWorker.smallPool();
    BufferPool large = FlashWorker.largePool();
    this.queue = Flash.openQueue(FlashWorker.DEPTH, List.of(file), List.of(small, large));
    this.worker = new FlashWorker(file, queue, small, large, locks, this::finished);
    this.thread = new Thread(worker, "flash");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Opens an existing file or device, locked against a second agent.
   *
   * @param direct whether to pass by the page cache
   * @param owner runs a task on the volume's owner thread
   * @throws IOException when io_uring does not work here, the file system has no direct I/O, or
   *     another process holds the file
   */
  static FlashStore open(Path path, boolean direct, Executor owner, EdgeLocks locks)
      throws IOException {
    if (!Flash.available().usable()) {
      throw new IOException(
          path
              + " cannot be opened by io_uring: "
              + Flash.available().reason()
              + "; use --io cache");
    }
    FlashOptions options =
        FlashOptions.readWrite()
            .withDirect(direct ? DirectIo.REQUIRED : DirectIo.OFF)
            .withEngine(FlashEngine.IO_URING);
    // POSIX locks go with the first descriptor that is closed: this one stays open longest.
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    FlashFile file = null;
    try {
      file = Flash.open(path, options);
      return new FlashStore(path, channel, file, owner, locks);
    } catch (IOException | RuntimeException e) {
      if (file != null) {
        file.close();
      }
      channel.close();
      throw e;
    }
  }

  private void finished(List<FlashRequest> requests) {
    try {
      owner.execute(() -> requests.forEach(FlashRequest::complete));
    } catch (RejectedExecutionException e) {
      LOG.debug("{} requests of {} ended after their owner", requests.size(), path, e);
    }
  }

  private void submit(
      FlashRequest.Kind kind,
      long offset,
      long length,
      ByteBuffer bytes,
      boolean mayUnmap,
      Object context,
      Completion completion) {
    FlashRequest request =
        new FlashRequest(
            kind, offset, length, bytes, mayUnmap, file.alignmentBytes(), context, completion);
    if (closed) {
      request.failure = new StoreException(StoreException.EIO, path + " is closed", null);
      request.complete();
    } else {
      worker.submit(request);
    }
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public boolean completesAtOnce() {
    return false;
  }

  @Override
  public void read(long offset, ByteBuffer target, Object context, Completion completion) {
    submit(FlashRequest.Kind.READ, offset, target.remaining(), target, false, context, completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, Object context, Completion completion) {
    submit(FlashRequest.Kind.WRITE, offset, source.remaining(), source, false, context, completion);
  }

  @Override
  public void zero(
      long offset, long length, boolean mayUnmap, Object context, Completion completion) {
    submit(FlashRequest.Kind.ZERO, offset, length, null, mayUnmap, context, completion);
  }

  @Override
  public boolean zeroesFast() {
    return zeroesFast;
  }

  @Override
  public void flush(Object context, Completion completion) {
    submit(FlashRequest.Kind.FLUSH, 0, 0, null, false, context, completion);
  }

  @Override
  public void forgetCache() {
    FlashRanges.forgetCache(file);
  }

  @Override
  public void prefetch(long offset, long length) {
    if (!file.direct()) {
      prefetcher.offer(offset, length);
    }
  }

  @Override
  public long extentAt(long offset, long length) {
    return FlashRanges.extentAt(file, offset, length);
  }

  @Override
  public void grow(long fromBytes, long newSizeBytes, Object context, Completion completion) {
    Completion grown =
        (same, failure) -> {
          if (failure == null) {
            sizeBytes = newSizeBytes;
          }
          completion.done(same, failure);
        };
    try {
      long present = file.sizeBytes();
      FileLocks.checkMayGrow(path, present, newSizeBytes);
      if (present < newSizeBytes) {
        file.resize(newSizeBytes);
      }
      long stale = Math.min(present, newSizeBytes) - fromBytes;
      if (stale > 0) {
        zero(fromBytes, stale, true, context, grown);
      } else {
        grown.done(context, null);
      }
    } catch (IOException e) {
      completion.done(
          context, StoreException.of("growing", fromBytes, newSizeBytes - fromBytes, e));
    }
  }

  @Override
  public void close() {
    closed = true;
    worker.close();
    try {
      prefetcher.close();
      thread.join(CLOSE_MS_MAX);
      if (thread.isAlive()) {
        throw new IOException(
            "the store's thread still writes to " + path + " after " + CLOSE_MS_MAX + " ms");
      }
      queue.close();
      file.close();
      lock.release();
      channel.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
