package io.mgtm.block.volume;

/** The flushes of a node, and the mark that says whether one was under way when it died. */
final class ModelFlushes {
  private final ModelNode node;
  private long epoch;
  private boolean mark;

  /** A flush failed, and the node died before it was written down. */
  private boolean died;

  ModelFlushes(ModelNode node) {
    this.node = node;
  }

  private boolean isSecondary() {
    return node.core.state().role() == Role.SECONDARY;
  }

  void flush() {
    long[] snapshot = node.disk.snapshot(ModelDisk.BLOCKS_MAX);
    long mine = ++epoch;
    mark = true;
    ModelFault fault = node.world.fault;
    boolean skipped = fault == ModelFault.FLUSH_NOT_FORWARDED && isSecondary();
    boolean slow =
        (fault == ModelFault.BIT_CLEARED_BEFORE_TARGET_IS_DURABLE
                || fault == ModelFault.ACKNOWLEDGED_IN_BACKLOG
                || fault == ModelFault.FOLLOWERS_DO_NOT_WAIT_FOR_FLUSH)
            && isSecondary();
    node.after(
        slow ? 12 : 0,
        () -> {
          if (node.failing && node.random.nextInt(6) == 0) {
            fail(snapshot);
            return;
          }
          if (!skipped && mine == epoch) {
            node.disk.flushed(snapshot);
          }
          if (node.core.recall().isTrusted()) {
            mark = false;
          }
          node.core.localFlushed(Errno.OK);
        });
  }

  private void fail(long[] snapshot) {
    node.disk.flushFailed(snapshot);
    node.world.trace(() -> "n" + node.index + " fails to flush");
    if (node.world.fault == ModelFault.FAILED_FLUSH_FORGOTTEN) {
      node.core.localFlushed(Errno.OK);
      return;
    }
    if (node.random.nextInt(3) == 0) {
      died = true;
      node.failing = false;
      node.world.kill(node, false);
      return;
    }
    boolean replaced =
        node.core.administration().isAccepting() && node.core.replication().heirs().hasHeir();
    if (node.core.state().role() == Role.PRIMARY && !replaced) {
      node.world.history.flushFailed(node.index);
    }
    node.core.localFlushed(Errno.EIO);
    // What follows from it is written down before anything else goes wrong.
    node.failing = false;
    for (int i = 0; i < 200 && !node.pending.isEmpty(); i++) {
      node.step();
    }
  }

  /**
   * As once: a flush of its own while the volume grows, of whose failure only the operator hears.
   */
  String ofGrowth() {
    long[] snapshot = node.disk.snapshot(ModelDisk.BLOCKS_MAX);
    if (node.random.nextInt(2) == 0) {
      node.disk.flushFailed(snapshot);
      return "the disk failed to flush";
    }
    node.disk.flushed(snapshot);
    return null;
  }

  void tick(long nowMs) {
    Recall recall = node.core.recall();
    if (recall.isPending() && !recall.isFetching() && node.random.nextInt(60) == 0) {
      recall.goOn("the operator wants it to serve alone");
      gaveUp();
    }
    node.core.tick(nowMs);
  }

  void losePower() {
    mark = false;
    died = false;
  }

  /** Whether a flush is under way, as the mark says. */
  boolean isUnderWay() {
    return mark;
  }

  private boolean isSuspect() {
    return mark && node.world.fault != ModelFault.FLUSH_MARK_IGNORED;
  }

  /** What was written down says what the disk may have lost. */
  void beforeStart() {
    if (isSuspect()) {
      node.files.state = node.files.state.distrusted();
    }
  }

  void started() {
    if (isSuspect()) {
      node.core.recall().begin();
    }
    if (!node.core.recall().isPending()) {
      gaveUp();
    }
  }

  /** A primary goes on with what its disk has: nobody else could tell what that lacks. */
  void gaveUp() {
    boolean primary = node.core.state().role() == Role.PRIMARY;
    if (died && primary && node.world.fault != ModelFault.FLUSH_MARK_IGNORED) {
      node.world.history.flushFailed(node.index);
      node.world.history.toldOfFailedFlush(node.index);
    }
    died = false;
  }
}
