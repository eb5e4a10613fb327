package io.mgtm.block.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A backing store over {@link FileChannel}: reads and writes go through the page cache and complete
 * before the call returns; flushes and zeroing run on the store's own thread.
 *
 * <p>Java knows neither hole punching nor {@code SEEK_HOLE}: {@link FlashRanges} gives them where
 * the system has them.
 */
public final class FileChannelStore implements BackingStore {
  private final Path path;
  private final FileChannel channel;
  private final FileLock lock;
  private final Executor owner;
  private final ExecutorService worker;
  private final FlashRanges ranges;
  private final Prefetcher prefetcher;
  private long sizeBytes;

  private FileChannelStore(
      Path path,
      FileChannel channel,
      FileLock lock,
      FlashRanges ranges,
      long sizeBytes,
      Executor owner) {
    this.ranges = ranges;
    this.prefetcher = new Prefetcher(ranges::prefetch);
    this.path = path;
    this.channel = channel;
    this.lock = lock;
    this.sizeBytes = sizeBytes;
    this.owner = owner;
    this.worker =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "store");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens an existing file or device, locked against a second agent.
   *
   * @param owner runs a task on the volume's owner thread
   * @throws IOException when it cannot be opened or another process holds it
   */
  public static FileChannelStore open(Path path, Executor owner) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      FileLock lock = FileLocks.take(path, channel);
      return new FileChannelStore(
          path, channel, lock, FlashRanges.open(path), FileLocks.sizeOf(path, channel), owner);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public boolean completesAtOnce() {
    return true;
  }

  @Override
  public void read(long offset, ByteBuffer target, Object context, Completion completion) {
    StoreException failure = null;
    int length = target.remaining();
    try {
      long position = offset;
      while (target.hasRemaining()) {
        int count = channel.read(target, position);
        if (count < 0) {
          throw new IOException(path + " ends at " + channel.size() + ", before the volume does");
        }
        position += count;
      }
    } catch (IOException e) {
      failure = StoreException.of("read", offset, length, e);
    }
    completion.done(context, failure);
  }

  @Override
  public void write(long offset, ByteBuffer source, Object context, Completion completion) {
    StoreException failure = null;
    int length = source.remaining();
    try {
      writeFully(offset, source);
    } catch (IOException e) {
      failure = StoreException.of("write", offset, length, e);
    }
    completion.done(context, failure);
  }

  private void writeFully(long offset, ByteBuffer source) throws IOException {
    long position = offset;
    while (source.hasRemaining()) {
      position += channel.write(source, position);
    }
  }

  @Override
  public void zero(
      long offset, long length, boolean mayUnmap, Object context, Completion completion) {
    onWorker(
        () -> ranges.zero(offset, length, mayUnmap),
        "zeroing",
        offset,
        length,
        context,
        completion);
  }

  @Override
  public boolean zeroesFast() {
    return ranges.zeroesFast();
  }

  @Override
  public void flush(Object context, Completion completion) {
    onWorker(this::force, "flush", 0, sizeBytes, context, completion);
  }

  private void force() throws IOException {
    try {
      channel.force(false);
    } catch (IOException e) {
      forgetCache();
      throw e;
    }
  }

  @Override
  public void forgetCache() {
    ranges.forgetCache();
  }

  /** A step of work that may fail. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private void onWorker(
      Work work,
      String operation,
      long offset,
      long length,
      Object context,
      Completion completion) {
    try {
      worker.execute(
          () -> {
            StoreException failure = null;
            try {
              work.run();
            } catch (IOException e) {
              failure = StoreException.of(operation, offset, length, e);
            }
            StoreException outcome = failure;
            owner.execute(() -> completion.done(context, outcome));
          });
    } catch (RejectedExecutionException e) {
      completion.done(context, new StoreException(StoreException.EIO, path + " is closed", e));
    }
  }

  @Override
  public void prefetch(long offset, long length) {
    prefetcher.offer(offset, length);
  }

  @Override
  public long extentAt(long offset, long length) {
    return ranges.extentAt(offset, length);
  }

  @Override
  public void grow(long fromBytes, long newSizeBytes, Object context, Completion completion) {
    onWorker(
        () -> growNow(fromBytes, newSizeBytes),
        "growing",
        fromBytes,
        newSizeBytes - fromBytes,
        context,
        (same, failure) -> {
          if (failure == null) {
            sizeBytes = newSizeBytes;
          }
          completion.done(same, failure);
        });
  }

  private void growNow(long fromBytes, long newSizeBytes) throws IOException {
    long present = FileLocks.sizeOf(path, channel);
    FileLocks.checkMayGrow(path, present, newSizeBytes);
    long stale = Math.min(present, newSizeBytes) - fromBytes;
    if (stale > 0) {
      ranges.zero(fromBytes, stale, true);
    }
    if (present < newSizeBytes) {
      channel.write(ByteBuffer.allocate(1), newSizeBytes - 1);
    }
  }

  @Override
  public void close() {
    try {
      prefetcher.close();
      worker.execute(ranges::close);
      worker.shutdown();
      if (!worker.awaitTermination(60, TimeUnit.SECONDS)) {
        throw new IOException("the store's thread still writes to " + path + " after 60 s");
      }
      lock.release();
      channel.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
