package io.mgtm.group.member;

import io.mgtm.group.storage.WorkerThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Where a member's work beside its owner's is done; each runs its tasks in their order. */
public interface MemberThreads {

  /** Forces the log. */
  Executor force();

  /** Makes and removes log files. */
  Executor files();

  /** Writes and decodes checkpoints. */
  Executor checkpoints();

  /** Runs a task again and again until {@link #stop}. */
  void every(long ms, Runnable task);

  /** Lets what was handed over finish, and ends the threads. */
  void stop();

  /** Threads of their own, which do not keep the process alive. */
  static MemberThreads start(String member) {
    return new Started(
        WorkerThreads.single(member + "-force"),
        WorkerThreads.single(member + "-files"),
        WorkerThreads.single(member + "-checkpoints"),
        WorkerThreads.clock(member + "-clock"));
  }

  /** Started threads. */
  record Started(
      ExecutorService force,
      ExecutorService files,
      ExecutorService checkpoints,
      ScheduledExecutorService clock)
      implements MemberThreads {
    @Override
    public void every(long ms, Runnable task) {
      clock.scheduleWithFixedDelay(task, ms, ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
      clock.shutdownNow();
      WorkerThreads.stop(clock, checkpoints, files, force);
    }
  }
}
