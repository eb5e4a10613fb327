package io.mgtm.block.volume;

import io.mgtm.block.volume.Change.Kind;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

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
  final LinkMark mark;
  private final VolumeCore core;

  LinkPhase phase = LinkPhase.DOWN;
  String reason = VolumeView.UNTRIED;

  /** Whether the cluster knows that the replica lacks something, see {@link Fencing}. */
  boolean fenced;

  /** Whether another copy of this volume answered since this side started. */
  boolean reached;

  /** How the last meeting was refused, or null. */
  Outcome refusal;

  /** Which node that was, or an empty string. */
  String refusedBy = "";

  String lastLoss = "";
  String lastRefusal = "";
  ReplicaSlot slot;
  Identity peer;

  /** Changes whenever what was begun before no longer counts: reads of chunks, marks. */
  long session;

  /** Changes with every resync that begins. */
  long syncRun;

  long ackedDurable;
  private long connection;
  private long nextSeq;
  private long syncDoneSeq;
  private long queuedBytes;
  private boolean resuming;
  private final ArrayDeque<Confirmation> confirmations = new ArrayDeque<>();
  private final SequenceQueue sent = new SequenceQueue();
  private final SequenceQueue awaitingDurable = new SequenceQueue();

  /** Told whether the target has written all up to {@code seq}, or was lost before it said so. */
  private record Confirmation(long seq, Consumer<Boolean> then) {}

  ReplicaLink(int index, LinkConfig config, VolumeCore core) {
    this.index = index;
    this.config = config;
    this.core = core;
    this.sync = new LinkSync(this, core);
    this.mark = new LinkMark(this, core);
  }

  /** This side is promoted: what was decided while another was primary counts no more. */
  void startOver() {
    refusal = null;
    fenced = false;
  }

  /** This link, which {@code node} refuses. */
  ReplicaLink by(String node) {
    refusedBy = node;
    return this;
  }

  /** Whether changes are sent as they come. */
  boolean isStreaming() {
    return phase == LinkPhase.SYNCING
        || phase == LinkPhase.FINISHING
        || phase == LinkPhase.UP_TO_DATE;
  }

  /**
   * Whether the target may have taken over this side's generation: all was sent, and it is being
   * kept up.
   */
  boolean mayShare() {
    return phase == LinkPhase.FINISHING || phase == LinkPhase.UP_TO_DATE;
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

  /**
   * A new connection: sequence numbers begin at 1.
   *
   * @param copy whether the target is a copy of this volume already
   */
  void meet(Identity target, boolean copy) {
    peer = target;
    session++;
    connection++;
    nextSeq = 1;
    ackedDurable = 0;
    phase = LinkPhase.MEETING;
    reached |= copy;
    refusal = null;
    reason = "";
    lastRefusal = "";
  }

  /**
   * The chunks to send are settled and what must be durable is: from here on changes flow.
   *
   * @param comparing whether checksums are compared before chunks are sent
   */
  void start(ReplicaSlot withSlot, boolean comparing) {
    slot = withSlot;
    resuming = false;
    syncRun++;
    session++;
    slot.endMark(false);
    slot.attach();
    reason = "";
    boolean equal = slot.outOfSync.isEmpty() && slot.shared == core.state().generations().current();
    int chunks = equal ? 0 : Math.max(1, slot.outOfSync.cardinality());
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendSyncStart(index, seq, chunks, core.state().generations());
    if (equal) {
      finish();
    } else {
      phase = LinkPhase.SYNCING;
      sync.begin(comparing);
    }
  }

  /**
   * It is noted durably that the target may take over the present generation: it does so once all
   * is durable there, and here.
   */
  void finish() {
    phase = LinkPhase.FINISHING;
    syncDoneSeq = nextSeq++;
    sent.add(syncDoneSeq, null, 0);
    core.effects().sendSyncDone(index, syncDoneSeq, core.state().generations());
    mark.beginUnlessBegun(syncDoneSeq);
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
      sync.pace().flushBegan();
    }
    core.effects().sendChange(index, seq, change);
    if (queuedBytes > config.highWaterBytes()) {
      overflow();
    }
  }

  private void overflow() {
    if (config.fallBackToBitmap() && !core.isDetached()) {
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
      sync.pace().flushBegan();
      sent.add(seq, null, 0);
    } else if (config.mode() == LinkMode.SEMI) {
      flush.waits++;
      sent.add(seq, flush, 0);
    } else {
      sent.add(seq, null, 0);
    }
    core.effects().sendFlush(index, seq);
  }

  /** Tells a newer history; {@code known} is told once the target has written it down. */
  void sendGenerations(Generations generations, Consumer<Boolean> known) {
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    confirmations.add(new Confirmation(seq, known));
    core.effects().sendGenerations(index, seq, generations);
  }

  /** Names the target the newest copy; {@code then} is told once it has written that down. */
  void sendHandover(Consumer<Boolean> then) {
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    confirmations.add(new Confirmation(seq, then));
    core.effects().sendHandover(index, seq);
  }

  /** The volume has grown: what was under way begins again, after the replica was told. */
  void grown(long sizeBytes) {
    sync.grown();
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendResize(index, seq, sizeBytes);
    if (phase == LinkPhase.FINISHING) {
      mark.begin(sendFlush());
    }
  }

  /** Whether a client waits for the replica's stable storage. */
  boolean isFlushAwaited() {
    return !awaitingDurable.isEmpty();
  }

  /** Takes the sequence number for a frame of the resync. */
  long nextResyncSeq(long frameBytes) {
    long seq = nextSeq++;
    sent.add(seq, null, -frameBytes);
    return seq;
  }

  /** Takes the sequence number for a client's read. */
  long nextReadSeq() {
    long seq = nextSeq++;
    sent.add(seq, null, 0);
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
          "the replica acknowledged what was not sent (%d, %d, %d)"
              .formatted(received, written, durable));
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
        sync.pace().ended(-bytes, core.nowMs());
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
    while (!confirmations.isEmpty() && confirmations.peek().seq() <= written) {
      confirmations.poll().then().accept(true);
      if (connection != current) {
        return;
      }
    }
    settle();
  }

  private void settle() {
    mark.check();
    if (phase == LinkPhase.BEHIND && !resuming && isDrained()) {
      resuming = true;
      core.effects().notice("link " + config.name() + ": the queue is empty; resync begins");
      core.replication().meetings().resumeBehind(this);
    }
    core.replication().unthrottle();
  }

  /** Has the target flush, for this side's own sake; the sequence number of that. */
  long sendFlush() {
    long seq = nextSeq++;
    sent.add(seq, null, 0);
    core.effects().sendFlush(index, seq);
    return seq;
  }

  /** A mark up to {@code seq} has ended; whether it covers the whole resync, which is done then. */
  boolean finished(long seq) {
    if (seq < syncDoneSeq) {
      return false;
    }
    phase = LinkPhase.UP_TO_DATE;
    sync.verification().resyncEnded();
    core.replication().synced(this);
    return true;
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
    abandon(sent);
    abandon(awaitingDurable);
    List<Confirmation> missing = List.copyOf(confirmations);
    confirmations.clear();
    missing.forEach(one -> one.then().accept(false));
  }

  private void abandon(SequenceQueue queue) {
    while (!queue.isEmpty()) {
      Change change = queue.firstChange();
      queue.removeFirst();
      if (change != null) {
        core.abandoned(change);
      }
    }
  }
}
