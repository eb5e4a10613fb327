package io.mgtm.block.volume;

import io.mgtm.block.volume.Change.Kind;
import io.mgtm.block.volume.Change.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A change's way: held while the volume is frozen or throttled, ordered among overlapping ones, its
 * bits made durable, written here and sent, made durable where asked, answered.
 */
final class WritePath {
  private final VolumeCore core;
  private final VolumeEffects effects;
  private final ArrayDeque<Change> held = new ArrayDeque<>();
  private final ChangeOrder order = new ChangeOrder();
  private ArrayDeque<Change> flushNext = new ArrayDeque<>();
  private ArrayDeque<Change> flushCurrent = new ArrayDeque<>();
  private boolean flushing;
  private int untoldFlushErrno;
  private int freezes;
  private boolean throttled;
  private boolean bitsWriting;
  private boolean scanning;
  private boolean scanAgain;
  private boolean draining;
  private int waiting;
  private int incomplete;
  private long markEpoch;

  WritePath(VolumeCore core, VolumeEffects effects) {
    this.core = core;
    this.effects = effects;
  }

  void submit(Change change) {
    incomplete++;
    if (freezes > 0 && core.isStateFailing()) {
      change.errno = Errno.EIO;
      change.waits = 1;
      release(change);
    } else if (freezes > 0 || throttled || !held.isEmpty()) {
      held.add(change);
    } else {
      admit(change);
    }
  }

  /** Takes a change of this side's own, whatever is frozen. */
  void submitInternal(Change change) {
    incomplete++;
    if (change.kind == Kind.FLUSH) {
      change.waits = 1;
      awaitFlush(change);
    } else {
      enqueue(change);
    }
  }

  private void admit(Change change) {
    if (!change.fromUpstream && core.replication().alone().mustWait()) {
      held.addFirst(change);
      core.replication().alone().begin();
      return;
    }
    if (change.kind == Kind.FLUSH) {
      change.waits = 1;
      core.replication().offerFlush(change);
      awaitFlush(change);
      return;
    }
    enqueue(change);
  }

  /**
   * Puts a change or read in its place among overlapping ones; it starts as soon as its place
   * allows.
   */
  void enqueue(Change change) {
    order.append(change);
    if (mayStart(change)) {
      start(change);
    } else {
      change.stage = Stage.WAITING;
      waiting++;
      requestBits();
    }
  }

  private boolean mayStart(Change change) {
    return !order.isBehindAnother(change)
        && (!change.changesBytes()
            || core.detachment().isWritten()
            || core.replication().markIntent(change));
  }

  private void start(Change change) {
    change.stage = Stage.IN_FLIGHT;
    change.waits = 1;
    change.markEpoch = markEpoch;
    if (change.changesBytes()) {
      core.replication().touch(change);
      core.replication().offer(change);
      core.replication().alone().holdWhileAlone(change);
      if (core.isDetached()) {
        remove(change);
        core.detachment().hold(change);
      } else {
        effects.writeLocal(change);
      }
    } else {
      effects.readLocal(change);
    }
  }

  /** The local write, zeroing or read of {@code change} ended. */
  void localDone(Change change, int errno) {
    remove(change);
    if (errno != Errno.OK && change.changesBytes() && standsIn(change, errno)) {
      core.detachment().hold(change);
    } else if (errno != Errno.OK) {
      change.errno = errno;
      if (change.changesBytes()) {
        core.replication().spoil(change, errno);
      }
      release(change);
    } else {
      if (change.changesBytes() && change.markEpoch != markEpoch) {
        core.replication().touch(change);
      }
      if (change.fua) {
        awaitFlush(change);
      } else {
        release(change);
      }
    }
    rescan();
  }

  private boolean standsIn(Change change, int errno) {
    return !change.fromUpstream
        && core.detachment().begin("this side's disk failed to write, error " + errno);
  }

  /** Takes a chunk's read out of the order. */
  void readDone(Change read) {
    remove(read);
    read.waits = 0;
    rescan();
  }

  /** One of the things that {@code change} waits for has come; the last one answers it. */
  void release(Change change) {
    change.waits--;
    if (change.waits == 0) {
      incomplete--;
      if (change.whenDone != null) {
        change.whenDone.accept(change);
      } else {
        core.completed(change);
      }
    }
  }

  // Order among overlapping changes.

  private void remove(Change change) {
    order.remove(change);
    change.stage = Stage.IDLE;
  }

  private void rescan() {
    if (waiting == 0) {
      return;
    }
    scanAgain = true;
    if (scanning) {
      return;
    }
    scanning = true;
    while (scanAgain) {
      scanAgain = false;
      Change change = order.first();
      while (change != null) {
        Change next = change.next;
        if (change.stage == Stage.WAITING && mayStart(change)) {
          waiting--;
          start(change);
        }
        change = next;
      }
    }
    scanning = false;
    requestBits();
  }

  // The bitmap's file.

  /** Has the bitmaps written if a write waits for them. */
  void requestBits() {
    if (!bitsWriting && core.replication().bitmaps().isUrgent()) {
      writeBits();
    }
  }

  /** Has the bitmaps written if they differ from their files. */
  void writeStaleBits() {
    if (!bitsWriting && core.replication().bitmaps().isStale()) {
      writeBits();
    }
  }

  private void writeBits() {
    bitsWriting = true;
    effects.persistBits();
  }

  boolean isWritingBits() {
    return bitsWriting;
  }

  void bitsPersisted(boolean succeeded) {
    bitsWriting = false;
    core.replication().bitmaps().persisted(succeeded);
    if (succeeded) {
      rescan();
      return;
    }
    List<Change> failed = new ArrayList<>();
    for (Change change = order.first(); change != null; change = change.next) {
      if (change.stage == Stage.WAITING && change.changesBytes()) {
        failed.add(change);
      }
    }
    for (Change change : failed) {
      remove(change);
      waiting--;
      change.errno = Errno.EIO;
      change.waits = 1;
      release(change);
    }
    rescan();
  }

  // Flushes are shared: all that wait while one runs are served by the next.

  void awaitFlush(Change change) {
    flushNext.add(change);
    if (!flushing) {
      flush();
    }
  }

  private void flush() {
    flushing = true;
    ArrayDeque<Change> swap = flushCurrent;
    flushCurrent = flushNext;
    flushNext = swap;
    if (core.isDetached()) {
      localFlushed(Errno.OK);
    } else {
      effects.flushLocal();
    }
  }

  /**
   * The flush ended. One that failed takes with it what was written since the last good one, and
   * the next one knows nothing of that: whoever waits for the next already is told too, and when
   * nobody waits, the first who asks.
   */
  void localFlushed(int result) {
    flushing = false;
    ArrayDeque<Change> served = flushCurrent;
    flushCurrent = new ArrayDeque<>(served.size());
    boolean failed = result != Errno.OK && !core.detachment().flushFailed(result);
    int errno = Errno.OK;
    if (failed) {
      errno = result;
      flushNext.forEach(waiting -> waiting.errno = result);
      untoldFlushErrno = hasClient(served) || hasClient(flushNext) ? Errno.OK : result;
    } else if (untoldFlushErrno != Errno.OK && hasClient(served)) {
      errno = untoldFlushErrno;
      untoldFlushErrno = Errno.OK;
    }
    if (!flushNext.isEmpty()) {
      flush();
    }
    for (Change change = served.poll(); change != null; change = served.poll()) {
      if (change.kind == Kind.MARK) {
        core.replication().markFlushed(change, result == Errno.OK && !core.isDetached());
      } else {
        if (errno != Errno.OK) {
          change.errno = errno;
        }
        if (core.isDetached()) {
          core.detachment().hold(change);
        } else {
          release(change);
        }
      }
    }
  }

  private static boolean hasClient(ArrayDeque<Change> flushes) {
    for (Change change : flushes) {
      if (change.kind != Kind.MARK && !change.fromUpstream && change.whenDone == null) {
        return true;
      }
    }
    return false;
  }

  /**
   * A mark begins: changes in flight count as written after it too, so that the bits of what is
   * under way are not cleared when it ends.
   */
  void beginMark(Change mark) {
    markEpoch++;
    for (Change change = order.first(); change != null; change = change.next) {
      if (change.stage == Stage.IN_FLIGHT && change.changesBytes()) {
        core.replication().touch(change);
      }
    }
    awaitFlush(mark);
  }

  // Holding.

  /** Holds what comes, until as many {@link #unfreeze} have come. */
  void freeze() {
    freezes++;
  }

  void unfreeze() {
    freezes--;
    drain();
  }

  void throttle() {
    throttled = true;
  }

  void unthrottle() {
    if (throttled) {
      throttled = false;
      drain();
    }
  }

  boolean isThrottled() {
    return throttled;
  }

  private void drain() {
    if (draining) {
      return;
    }
    draining = true;
    while (!held.isEmpty() && freezes == 0 && !throttled) {
      admit(held.poll());
    }
    draining = false;
  }

  /** Nothing is held, under way or unanswered. */
  boolean isIdle() {
    return incomplete == 0 && order.first() == null && !flushing;
  }

  /** Answers what is held with an error, as the side is to be demoted. */
  void refuseHeld(int errno) {
    for (Change change = held.poll(); change != null; change = held.poll()) {
      change.errno = errno;
      change.waits = 1;
      release(change);
    }
  }
}
