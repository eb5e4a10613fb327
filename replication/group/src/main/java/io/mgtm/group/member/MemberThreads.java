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

  /** Has the owner run a task after some time, or later; not after {@link #stop}. */
  void after(long ms, Runnable task);

  /** Lets what was handed over finish, and ends the threads. */
  void stop();

  /**
   * Threads of their own, which do not keep the process alive.
   *
   * @param owner knows the time too: a clock's thread of its own would have to wake it each time
   */
  static MemberThreads start(String member, ScheduledExecutorService owner) {
    return new Started(
        WorkerThreads.single(member + "-force"),
        WorkerThreads.single(member + "-files"),
        WorkerThreads.single(member + "-checkpoints"),
        owner);
  }

  /** Started threads. */
  record Started(
      ExecutorService force,
      ExecutorService files,
      ExecutorService checkpoints,
      ScheduledExecutorService owner)
      implements MemberThreads {
    @Override
    public void after(long ms, Runnable task) {
      owner.schedule(task, ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
      WorkerThreads.stop(checkpoints, files, force);
    }
  }
}
