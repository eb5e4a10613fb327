package io.mgtm.block.store;

import io.mgtm.flash.FlashFile;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings ranges into the page cache on a thread of its own, which ends when it has had nothing to
 * do for a while. Ranges beyond the bound are left out: to read ahead is a favour.
 */
final class Prefetcher {
  private static final Logger LOG = LoggerFactory.getLogger(Prefetcher.class);
  private static final int RANGES_MAX = 64;
  private static final long IDLE_SECONDS_MAX = 10;
  private static final long CLOSE_SECONDS_MAX = 60;

  /** Reads a range of at most {@link FlashFile#PREFETCH_BYTES_MAX} ahead; may block. */
  @FunctionalInterface
  interface Call {
    void prefetch(long offset, long length) throws IOException;
  }

  private final Call call;
  private final ThreadPoolExecutor worker;
  private volatile boolean closed;

  Prefetcher(Call call) {
    this.call = call;
    this.worker =
        new ThreadPoolExecutor(
            0,
            1,
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(RANGES_MAX),
            task -> {
              Thread thread = new Thread(task, "prefetch");
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Takes a range if there is room. Any thread; does not block. */
  void offer(long offset, long length) {
    worker.execute(() -> run(offset, length));
  }

  private void run(long offset, long length) {
    try {
      for (long done = 0; done < length && !closed; done += FlashFile.PREFETCH_BYTES_MAX) {
        call.prefetch(offset + done, Math.min(FlashFile.PREFETCH_BYTES_MAX, length - done));
      }
    } catch (IOException e) {
      // The read that follows tells the client, if it fails too.
      LOG.debug("{} bytes at {} could not be read ahead", length, offset, e);
    }
  }

  /** Ends with the piece under way. */
  void close() throws IOException, InterruptedException {
    closed = true;
    worker.shutdown();
    if (!worker.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IOException("reading ahead did not end within " + CLOSE_SECONDS_MAX + " s");
    }
  }
}
