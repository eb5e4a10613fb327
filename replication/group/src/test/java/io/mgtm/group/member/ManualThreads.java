package io.mgtm.group.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The owner and the storage threads as queues, whose tasks run when the test says so. */
final class ManualThreads implements MemberThreads {
  private final Deque<Runnable> owner = new ArrayDeque<>();
  private final Deque<Runnable> force = new ArrayDeque<>();
  private final Deque<Runnable> files = new ArrayDeque<>();
  private final Deque<Runnable> checkpoints = new ArrayDeque<>();

  private boolean ownerRejects;
  private boolean filesAtOnce;

  Executor owner() {
    return task -> {
      if (ownerRejects) {
        throw new RejectedExecutionException("the owner has ended");
      }
      owner.add(task);
    };
  }

  /** As while the owner waits for a log file. */
  void runFilesAtOnce(boolean atOnce) {
    filesAtOnce = atOnce;
  }

  void rejectForOwner() {
    ownerRejects = true;
  }

  /** Forgets the tasks that were handed over. */
  void dropAll() {
    owner.clear();
    force.clear();
    files.clear();
    checkpoints.clear();
  }

  @Override
  public Executor force() {
    return force::add;
  }

  @Override
  public Executor files() {
    return task -> {
      if (filesAtOnce) {
        task.run();
      } else {
        files.add(task);
      }
    };
  }

  @Override
  public Executor checkpoints() {
    return checkpoints::add;
  }

  @Override
  public void after(long ms, Runnable task) {
    throw new AssertionError("a node without a group waits for the time");
  }

  boolean runOwner() {
    return run(owner);
  }

  boolean runForce() {
    return run(force);
  }

  boolean runFiles() {
    return run(files);
  }

  /** Runs the next task of one of the threads. */
  void runOne(Random random) {
    switch (random.nextInt(4)) {
      case 0 -> run(owner);
      case 1 -> run(force);
      case 2 -> run(checkpoints);
      default -> run(files);
    }
  }

  void runAll() {
    while (run(force) || run(files) || run(checkpoints) || run(owner)) {
      // until nothing is left
    }
  }

  private static boolean run(Deque<Runnable> queue) {
    Runnable task = queue.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  @Override
  public void stop() {
    while (run(checkpoints) || run(files) || run(force)) {
      // what was handed over is finished
    }
  }
}
