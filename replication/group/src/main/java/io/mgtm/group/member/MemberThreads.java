package io.mgtm.group.member;

import io.mgtm.group.storage.WorkerThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/** The threads of a member beside its owner: forces, files, and the clock. */
record MemberThreads(ExecutorService force, ExecutorService files, ScheduledExecutorService clock) {

  static MemberThreads start(String member) {
    return new MemberThreads(
        WorkerThreads.single(member + "-force"),
        WorkerThreads.single(member + "-files"),
        WorkerThreads.clock(member + "-clock"));
  }

  /** Lets what was handed over finish, and ends the threads. */
  void stop() {
    clock.shutdownNow();
    WorkerThreads.stop(clock, files, force);
  }
}
