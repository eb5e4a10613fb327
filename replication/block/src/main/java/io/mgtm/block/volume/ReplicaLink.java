package io.mgtm.block.volume;

import io.mgtm.block.volume.Change.Kind;

/**
 * The source's side of one replica while and while not connected: sequence numbers, what waits for
 * which acknowledgement, and the phases. Resync and verify are in {@link LinkSync}.
 *
 * <p>Acknowledgements are three watermarks over the sequence numbers of one connection: received,
 * written, durable.
 */
final class ReplicaLink {
  final int index;
  final LinkConfig config;
  final LinkSync sync;
  private final VolumeCore core;

  LinkPhase phase = LinkPhase.DOWN;
  String reason = "not connected yet";
  boolean outdated;
  String lastLoss = "";
  ReplicaSlot slot;
  Identity peer;

  /** Changes whenever what was begun before no longer counts: reads of chunks, marks. */
  long session;

  long ackedDurable;
  private long connection;
  private long nextSeq;
  private long syncDoneSeq;
  private long markSeq;
  private boolean markFlushedHere;
  private long queuedBytes;
  private boolean resuming;
  private final SequenceQueue sent = new SequenceQueue();
  private final SequenceQueue awaitingDurable = new SequenceQueue();

  ReplicaLink(int index, LinkConfig config, VolumeCore core) {
    this.index = index;
    this.config = config;
    this.core = core;
    this.sync = new LinkSync(this, core);
  }

  /** Whether changes are sent as they come. */
  boolean isStreaming() {
    return phase == LinkPhase.SYNCING
        || phase == LinkPhase.FINISHING
        || phase == LinkPhase.UP_TO_DATE;
  }

  /** Whether the peer is there at all, so that going on does not mean going on alone. */
  boolean isAttached() {
    return isStreaming() || phase == LinkPhase.BEHIND;
  }

  /** The connection's number, to tell whether it is still the same later. */
  long connection() {
    return connection;
  }

  long nextSeq() {
    return nextSeq;
  }

  /** Whether the target has acknowledged all that was sent. */
  boolean isDrained() {
    return sent.isEmpty() && awaitingDurable.isEmpty();
  }

  long queuedBytes() {
    return queuedBytes;
  }

  /** A new connection: sequence numbers begin at 1. */
  void meet(Identity target) {
    peer = target;
    session++;
    connection++;
    nextSeq = 1;
    ackedDurable = 0;
    phase = LinkPhase.MEETING;
    outdated = false;
    reason = "";
  }

  /**
   * The chunks to send are settled and what must be durable is: from here on changes flow.
   *
   * @param comparing whether checksums are compared before chunks are sent
   */
  void start(ReplicaSlot withSlot, boolean comparing) {
    slot = withSlot;
    resuming = false;
    session++;
    slot.endMark(false);
    slot.attach();
    int chunks = slot.outOfSync.cardinality();
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendSyncStart(index, seq, chunks, core.state().generations());
    reason = "";
    if (chunks == 0) {
      phase = LinkPhase.FINISHING;
      finish();
    } else {
      phase = LinkPhase.SYNCING;
      sync.begin(comparing);
    }
  }

  /** Everything was sent: the target takes over the history once all is durable there, and here. */
  void finish() {
    phase = LinkPhase.FINISHING;
    syncDoneSeq = nextSeq++;
    sent.add(syncDoneSeq, null, 0);
    core.effects().sendSyncDone(index, syncDoneSeq, core.state().generations());
    if (!slot.isMarking()) {
      beginMark(syncDoneSeq);
    }
  }

  /** Sends a change if that is of use; adds to what the change waits for. */
  void offer(Change change) {
    if (!isStreaming()) {
      return;
    }
    if (!slot.outOfSync.isEmpty()) {
      sync.noteWrite(change);
      if (slot.isWhollyOutOfSync(change)) {
        return;
      }
    }
    long seq = nextSeq++;
    boolean awaited = config.mode() != LinkMode.ASYNC;
    if (awaited) {
      change.waits++;
    }
    boolean untilDurable = config.mode() == LinkMode.SYNC && change.fua;
    long bytes = change.kind == Kind.WRITE ? change.length : 0;
    queuedBytes += bytes;
    sent.add(seq, awaited && !untilDurable ? change : null, bytes);
    if (untilDurable) {
      awaitingDurable.add(seq, change, 0);
    }
    core.effects().sendChange(index, seq, change);
    if (queuedBytes > config.highWaterBytes()) {
      overflow();
    }
  }

  private void overflow() {
    if (config.fallBackToBitmap()) {
      phase = LinkPhase.BEHIND;
      reason =
          "the queue passed high water ("
              + config.highWaterBytes()
              + " bytes); writes are noted in the bitmap";
      session++;
      sync.end();
      slot.detach();
      core.effects().notice("link " + config.name() + ": " + reason);
    } else {
      core.throttle();
    }
  }

  void offerFlush(Change flush) {
    if (!isStreaming()) {
      return;
    }
    long seq = nextSeq++;
    if (config.mode() == LinkMode.SYNC) {
      flush.waits++;
      awaitingDurable.add(seq, flush, 0);
      sent.add(seq, null, 0);
    } else if (config.mode() == LinkMode.SEMI) {
      flush.waits++;
      sent.add(seq, flush, 0);
    } else {
      sent.add(seq, null, 0);
    }
    core.effects().sendFlush(index, seq);
  }

  void sendGenerations(Generations generations) {
    if (isStreaming()) {
      long seq = nextSeq++;
      sent.add(seq, null, 0);
      core.effects().sendGenerations(index, seq, generations);
    }
  }

  /** The volume has grown: what was under way begins again, after the replica was told. */
  void grown(long sizeBytes) {
    sync.grown();
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendResize(index, seq, sizeBytes);
    if (phase == LinkPhase.FINISHING) {
      flushAndMark();
    }
  }

  /** Takes the sequence number for a frame of the resync. */
  long nextResyncSeq(long frameBytes) {
    long seq = nextSeq++;
    sent.add(seq, null, -frameBytes);
    return seq;
  }

  /**
   * The target acknowledged: all up to {@code received} is in its memory, up to {@code written} on
   * its disk, up to {@code durable} on its stable storage.
   */
  void acked(long received, long written, long durable) {
    if (!isAttached()) {
      return;
    }
    if (received >= nextSeq || written > received || durable > written || durable < ackedDurable) {
      core.loseLink(
          this,
          "the replica acknowledged what was not sent ("
              + received
              + ", "
              + written
              + ", "
              + durable
              + ")");
      return;
    }
    ackedDurable = durable;
    long current = connection;
    long enough = config.mode() == LinkMode.SYNC ? written : received;
    while (!sent.isEmpty() && sent.firstSeq() <= enough) {
      Change change = sent.firstChange();
      long bytes = sent.firstBytes();
      sent.removeFirst();
      if (bytes < 0) {
        sync.acknowledged(-bytes);
      } else {
        queuedBytes -= bytes;
      }
      if (change != null) {
        core.release(change);
      }
      if (connection != current) {
        return;
      }
    }
    while (!awaitingDurable.isEmpty() && awaitingDurable.firstSeq() <= durable) {
      Change change = awaitingDurable.firstChange();
      awaitingDurable.removeFirst();
      core.release(change);
      if (connection != current) {
        return;
      }
    }
    settle();
  }

  private void settle() {
    checkMark();
    if (phase == LinkPhase.BEHIND && !resuming && isDrained()) {
      resuming = true;
      core.effects().notice("link " + config.name() + ": the queue is empty; resync begins");
      core.resumeBehind(this);
    }
    core.unthrottle();
  }

  /** Asks both sides to make everything so far durable, in order to confirm chunks. */
  void mark() {
    if (isStreaming() && slot.needsMark()) {
      flushAndMark();
    }
  }

  /** A mark covers what was sent before its own flush, so each mark needs one. */
  private void flushAndMark() {
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendFlush(index, seq);
    beginMark(seq);
  }

  private void beginMark(long seq) {
    slot.beginMark();
    markSeq = seq;
    markFlushedHere = false;
    core.beginMark(this);
  }

  /** The local half of the mark of {@code markedSession} ended. */
  void markFlushed(long markedSession, boolean succeeded) {
    if (markedSession != session || !isAttached() || !slot.isMarking()) {
      return;
    }
    if (!succeeded) {
      slot.endMark(false);
      if (phase == LinkPhase.FINISHING) {
        core.loseLink(this, "the local disk failed to flush");
      }
      return;
    }
    markFlushedHere = true;
    checkMark();
  }

  private void checkMark() {
    if (!isStreaming() || !slot.isMarking() || !markFlushedHere || ackedDurable < markSeq) {
      return;
    }
    slot.endMark(true);
    if (phase == LinkPhase.FINISHING) {
      if (markSeq >= syncDoneSeq) {
        phase = LinkPhase.UP_TO_DATE;
        core.synced(this);
      } else {
        flushAndMark();
      }
    }
  }

  /**
   * The connection is gone. What waited for it goes to the core, which decides when it may be
   * answered.
   */
  void lost(String why) {
    session++;
    connection++;
    resuming = false;
    sync.end();
    phase = LinkPhase.DOWN;
    reason = why;
    lastLoss = why;
    queuedBytes = 0;
    if (slot != null) {
      slot.detach();
    }
    while (!sent.isEmpty()) {
      Change change = sent.firstChange();
      sent.removeFirst();
      if (change != null) {
        core.abandoned(change);
      }
    }
    while (!awaitingDurable.isEmpty()) {
      Change change = awaitingDurable.firstChange();
      awaitingDurable.removeFirst();
      core.abandoned(change);
    }
  }
}
