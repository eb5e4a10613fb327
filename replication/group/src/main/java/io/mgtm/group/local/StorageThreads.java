package io.mgtm.group.local;

import io.mgtm.group.storage.WorkerThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

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
        WorkerThreads.single("log-force"),
        WorkerThreads.single("log-files"),
        WorkerThreads.single("log-checkpoints"));
  }

  /** Started threads. */
  record Started(ExecutorService force, ExecutorService files, ExecutorService checkpoints)
      implements StorageThreads {
    /** In this order, for a checkpoint hands over to the files thread. */
    @Override
    public void stop() {
      WorkerThreads.stop(checkpoints, files, force);
    }
  }
}
