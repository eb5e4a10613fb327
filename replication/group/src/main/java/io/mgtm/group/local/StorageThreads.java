package io.mgtm.group.local;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The threads behind a log. No force waits while a log file is made, and no log file waits while a
 * large checkpoint is written.
 */
interface StorageThreads {
  /** Forces the log. */
  Executor force();

  /** Makes, reuses and removes log files. */
  Executor files();

  /** Writes checkpoints. */
  Executor checkpoints();

  /** Lets what was handed over finish, and ends the threads. */
  void stop();

  /** Threads of their own, which do not keep the process alive. */
  static StorageThreads start() {
    return new Started(
        single("mgtm-log-force"), single("mgtm-log-files"), single("mgtm-log-checkpoints"));
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
  record Started(ExecutorService force, ExecutorService files, ExecutorService checkpoints)
      implements StorageThreads {
    private static final long STOP_TIMEOUT_S = 60;

    /** In this order, for a checkpoint hands over to the files thread. */
    @Override
    public void stop() {
      stop(checkpoints);
      stop(files);
      stop(force);
    }

    private static void stop(ExecutorService thread) {
      thread.shutdown();
      try {
        if (!thread.awaitTermination(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
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
