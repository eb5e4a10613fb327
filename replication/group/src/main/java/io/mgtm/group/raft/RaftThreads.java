package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The threads of a member beside its owner and jgroups-raft's: files, and the clock. */
record RaftThreads(ExecutorService files, ScheduledExecutorService clock) {
  private static final long STOP_TIMEOUT_S = 60;

  static RaftThreads start(String member) {
    return new RaftThreads(
        Executors.newSingleThreadExecutor(task -> thread(task, member + "-files")),
        Executors.newSingleThreadScheduledExecutor(task -> thread(task, member + "-clock")));
  }

  private static Thread thread(Runnable task, String name) {
    Thread thread = new Thread(task, "mgtm-" + name);
    thread.setDaemon(true);
    return thread;
  }

  /** Lets what was handed over finish, and ends the threads. */
  void stop() {
    clock.shutdownNow();
    files.shutdown();
    try {
      for (ExecutorService thread : List.of(clock, files)) {
        if (!thread.awaitTermination(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
          throw new LogException(
              Category.IO,
              "The disk has not answered for %d s; check the disk and the system's log"
                  .formatted(STOP_TIMEOUT_S));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException(
          Category.IO, "The stop was interrupted while the disk was still written", e);
    }
  }
}
