package io.mgtm.query.fleet;

import io.mgtm.query.order.Part;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicReference;

/** A transaction that is to be decided. What becomes of it is told outside of the log's turn. */
final class WaitingCommit {
  private final Part part;
  private final LabelRenames.Of labels;
  private final EventLoop loop;
  private final CommitLog.Done done;
  private final AtomicReference<Runnable> told = new AtomicReference<>();

  WaitingCommit(Part part, LabelRenames.Of labels, EventLoop loop, CommitLog.Done done) {
    this.part = part;
    this.labels = labels;
    this.loop = loop;
    this.done = done;
  }

  Part part() {
    return part;
  }

  LabelRenames.Of labels() {
    return labels;
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

  void refuse(String why) {
    tell(() -> done.refused(why));
  }

  /** Its session's loop has brought it. */
  void brought() {
    if (!told.compareAndSet(null, WaitingCommit::nothingYet)) {
      told.get().run();
    }
  }
}
