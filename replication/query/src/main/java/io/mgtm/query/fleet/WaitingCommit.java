package io.mgtm.query.fleet;

import io.mgtm.query.order.Part;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicReference;

/** A transaction that is to be decided. What becomes of it is told outside of the log's turn. */
final class WaitingCommit {
  private final Part part;
  private final EventLoop loop;
  private final CommitLog.Done done;
  private final AtomicReference<Runnable> told = new AtomicReference<>();

  WaitingCommit(Part part, EventLoop loop, CommitLog.Done done) {
    this.part = part;
    this.loop = loop;
    this.done = done;
  }

  Part part() {
    return part;
  }

  CommitLog.Done done() {
    return done;
  }

  /** Stands where what is told will find that the loop has gone on. */
  private static void nothingYet() {}

  void tell(Runnable what) {
    if (!told.compareAndSet(null, what)) {
      loop.execute(what);
    }
  }

  /** Its session's loop has brought it. */
  void brought() {
    if (!told.compareAndSet(null, WaitingCommit::nothingYet)) {
      told.get().run();
    }
  }
}
