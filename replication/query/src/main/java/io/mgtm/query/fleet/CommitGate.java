package io.mgtm.query.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Where commits pass, from before the first server is told until the last has answered: closed and
 * quiet, all servers that are in have committed the same transactions. Any thread.
 */
public final class CommitGate {
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<CompletableFuture<Void>> closers = new ArrayList<>();
  private int closed;
  private int inside;

  /**
   * Lets a commit in.
   *
   * @param again called once the gate opens, when false is returned
   */
  public synchronized boolean enter(Runnable again) {
    if (closed > 0) {
      waiting.add(again);
      return false;
    }
    inside++;
    return true;
  }

  /** A commit is at all servers. */
  public void leave() {
    List<CompletableFuture<Void>> quiet = List.of();
    synchronized (this) {
      inside--;
      if (inside == 0) {
        quiet = List.copyOf(closers);
        closers.clear();
      }
    }
    quiet.forEach(closer -> closer.complete(null));
  }

  /** Lets nobody in any more; completes when nobody is inside. Each call needs one to open. */
  public CompletableFuture<Void> close() {
    synchronized (this) {
      closed++;
      if (inside > 0) {
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        closers.add(quiet);
        return quiet;
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Lets those that wait in, and all that come, when it was closed by nobody else. */
  public void open() {
    List<Runnable> all;
    synchronized (this) {
      closed--;
      if (closed > 0) {
        return;
      }
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(Runnable::run);
  }
}
