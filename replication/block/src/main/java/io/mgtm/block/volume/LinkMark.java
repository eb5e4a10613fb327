package io.mgtm.block.volume;

/**
 * The mark of a link: both sides make durable what was sent before it, and then its chunks are
 * known to be in sync whatever either side loses in a crash.
 */
final class LinkMark {
  private final ReplicaLink link;
  private final VolumeCore core;
  private long seq;
  private boolean flushedHere;

  LinkMark(ReplicaLink link, VolumeCore core) {
    this.link = link;
    this.core = core;
  }

  /** Begins one, where chunks wait for it. */
  void beginIfNeeded() {
    if (link.isStreaming() && link.slot.needsMark() && !core.isDetached()) {
      begin(link.sendFlush());
    }
  }

  /** Begins one that covers what was sent before {@code seq}, which has the target flush. */
  void begin(long seq) {
    link.slot.beginMark();
    this.seq = seq;
    flushedHere = false;
    core.beginMark(link);
  }

  /** Begins one unless another is under way, which is followed by one. */
  void beginUnlessBegun(long seq) {
    if (!link.slot.isMarking()) {
      begin(seq);
    }
  }

  /** The local half of the mark of {@code session} ended. */
  void flushedHere(long session, boolean succeeded) {
    if (session != link.session || !link.isAttached() || !link.slot.isMarking()) {
      return;
    }
    if (!succeeded) {
      link.slot.endMark(false);
      if (link.phase == LinkPhase.FINISHING) {
        core.loseLink(link, "the local disk failed to flush");
      }
      return;
    }
    flushedHere = true;
    check();
  }

  /** Ends it once both sides have flushed. */
  void check() {
    if (!link.isStreaming() || !link.slot.isMarking() || !flushedHere || link.ackedDurable < seq) {
      return;
    }
    link.slot.endMark(true);
    if (link.phase == LinkPhase.FINISHING && !link.finished(seq)) {
      begin(link.sendFlush());
    }
  }
}
