package io.mgtm.group.local;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The threads behind a log: one that forces, and one for everything that takes longer, so that no
 * force waits while a segment is made or a checkpoint is written.
 */
interface StorageThreads {
  Executor force();

  Executor files();

  /** Lets what was handed over finish, and ends the threads. */
  void stop();

  /** Two threads of their own. */
  static StorageThreads start() {
    return new Started(single("mgtm-log-force"), single("mgtm-log-files"));
  }

  private static ExecutorService single(String name) {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Started threads. */
  record Started(ExecutorService force, ExecutorService files) implements StorageThreads {
    private static final long STOP_TIMEOUT_S = 60;

    @Override
    public void stop() {
      files.shutdown();
      force.shutdown();
      try {
        if (!files.awaitTermination(STOP_TIMEOUT_S, TimeUnit.SECONDS)
            || !force.awaitTermination(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
          throw new LogException(
              Category.IO,
              "The disk has not answered for %d s; check the disk and the system's log"
                  .formatted(STOP_TIMEOUT_S));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LogException(
            Category.IO, "The stop was interrupted while the disk was still written", e);
      }
    }
  }
}
