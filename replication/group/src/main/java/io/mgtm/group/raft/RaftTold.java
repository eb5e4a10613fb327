package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Carries what jgroups-raft's thread tells to the owner thread: in its order, several at a time,
 * and no more than a bound ahead of it.
 */
final class RaftTold implements GroupRaft.Sink {
  private static final int AT_ONCE = 1_000;
  private static final int AHEAD_MAX = 64_000;
  private static final long LOOK_MS = 100;

  /** Called by the owner thread. */
  interface Hearer {
    void committed(long index, ByteBuffer entry);

    void membersChanged(long index, List<String> members);

    void restored(RaftCheckpoint checkpoint);

    /** What was told at once has been heard. */
    void heard();
  }

  private final Hearer hearer;
  private final Consumer<Runnable> owner;
  private final Consumer<LogException> failed;
  private final BooleanSupplier closed;
  private final Semaphore ahead = new Semaphore(AHEAD_MAX);
  private List<Runnable> told = new ArrayList<>();

  /**
   * A way from one thread to the other.
   *
   * @param closed whether nobody hears any more
   */
  RaftTold(
      Hearer hearer,
      Consumer<Runnable> owner,
      Consumer<LogException> failed,
      BooleanSupplier closed) {
    this.hearer = hearer;
    this.owner = owner;
    this.failed = failed;
    this.closed = closed;
  }

  @Override
  public void committed(long index, ByteBuffer entry) {
    tell(() -> hearer.committed(index, entry));
  }

  @Override
  public void members(long index, List<String> members) {
    tell(() -> hearer.membersChanged(index, members));
  }

  @Override
  public void restored(RaftCheckpoint checkpoint) {
    tell(() -> hearer.restored(checkpoint));
    flush();
  }

  private void tell(Runnable what) {
    told.add(what);
    if (told.size() >= AT_ONCE) {
      flush();
    }
  }

  @Override
  public void flush() {
    if (told.isEmpty() || !mayGoAhead(told.size())) {
      return;
    }
    List<Runnable> now = told;
    told = new ArrayList<>();
    owner.accept(
        () -> {
          ahead.release(now.size());
          now.forEach(Runnable::run);
          hearer.heard();
        });
  }

  private boolean mayGoAhead(int by) {
    try {
      while (!ahead.tryAcquire(by, LOOK_MS, TimeUnit.MILLISECONDS)) {
        if (closed.getAsBoolean()) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false; // the channel is being closed
    }
  }

  @Override
  public void failed(LogException cause) {
    failed.accept(cause);
  }
}
