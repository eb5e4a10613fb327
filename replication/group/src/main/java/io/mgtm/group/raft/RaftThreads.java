package io.mgtm.group.raft;

import io.mgtm.group.storage.WorkerThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/** The threads of a member beside its owner and jgroups-raft's: files, and the clock. */
record RaftThreads(ExecutorService files, ScheduledExecutorService clock) {

  static RaftThreads start(String member) {
    return new RaftThreads(
        WorkerThreads.single(member + "-files"), WorkerThreads.clock(member + "-clock"));
  }

  /** Lets what was handed over finish, and ends the threads. */
  void stop() {
    clock.shutdownNow();
    WorkerThreads.stop(clock, files);
  }
}
