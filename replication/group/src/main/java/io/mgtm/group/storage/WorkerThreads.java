package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Makes and ends the threads that work for an owner, each alone with one kind of work. They do not
 * keep the process alive. Any thread.
 */
public final class WorkerThreads {
  private static final long STOP_TIMEOUT_S = 60;

  private WorkerThreads() {}

  /** A thread for work on the disk, named after {@code name}. */
  public static ExecutorService single(String name) {
    return Executors.newSingleThreadExecutor(new DefaultThreadFactory("mgtm-" + name, true));
  }

  /**
   * Lets what was handed over finish, and ends the threads one after the other: one that hands over
   * to another comes before it.
   *
   * @throws LogException with IO when one does not end in time
   */
  public static void stop(ExecutorService... threads) {
    for (ExecutorService thread : threads) {
      stop(thread);
    }
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
