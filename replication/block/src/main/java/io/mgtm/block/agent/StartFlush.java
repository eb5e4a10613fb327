package io.mgtm.block.agent;

import io.mgtm.block.config.VolumeConfig;
import io.mgtm.block.store.BackingStore;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a former process left in the page cache is flushed before anything relies on it: the system
 * tells the first who asks that it could not write something.
 *
 * @param mark to be set while a flush is under way
 * @param isSuspect whether a flush failed, or may have failed, since the last good one
 */
record StartFlush(FlushMark mark, boolean isSuspect) {
  private static final Logger LOG = LoggerFactory.getLogger(StartFlush.class);

  /** A page cache full of what was written last, and a slow disk. */
  private static final long SECONDS_MAX = 600;

  static StartFlush of(VolumeConfig config, BackingStore store, Executor owner) throws IOException {
    FlushMark mark = FlushMark.open(config.meta());
    if (!mark.isSameBoot()) {
      return new StartFlush(mark, false);
    }
    mark.set();
    String failure = flush(store, owner);
    if (failure != null) {
      LOG.error("volume {}: {}", config.name(), failure);
    } else if (mark.wasSet()) {
      store.forgetCache();
    } else {
      mark.clear();
    }
    return new StartFlush(mark, failure != null || mark.wasSet());
  }

  /** Answers null, or how it failed. */
  private static String flush(BackingStore store, Executor owner) throws IOException {
    CompletableFuture<String> done = new CompletableFuture<>();
    owner.execute(
        () ->
            store.flush(
                null,
                (none, failure) -> done.complete(failure == null ? null : failure.getMessage())));
    try {
      return done.get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new IOException("the disk does not flush in " + SECONDS_MAX + " s; look after it", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the disk flushes", e);
    }
  }
}
