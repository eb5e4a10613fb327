package io.mgtm.block.volume;

import java.util.ArrayDeque;

/**
 * What of a source's frames is on stable storage here, and which flushes of this side's disk are
 * wanted for that: one at a time, each for all that is written by then.
 */
final class ReceivedStability {
  private final VolumeCore core;
  private final DoneWindow done;
  private final ArrayDeque<Long> wanted = new ArrayDeque<>();
  private boolean flushing;
  private long durable;
  private long barrier;
  private Runnable afterAll;

  /** Frames that are done are noted in {@code done} by others. */
  ReceivedStability(VolumeCore core, DoneWindow done) {
    this.core = core;
    this.done = done;
  }

  /** All up to this sequence number are on stable storage. */
  long durable() {
    return durable;
  }

  /** A new connection: sequence numbers begin at 1. */
  void begin() {
    durable = 0;
  }

  /** The connection is gone, and what was wanted for it. */
  void forget() {
    flushing = false;
    barrier = 0;
    afterAll = null;
    wanted.clear();
  }

  /** All up to {@code seq} is to become durable. */
  void want(long seq) {
    wanted.add(seq);
  }

  /** Nothing passes until all up to {@code seq} is durable. */
  void holdUntil(long seq) {
    barrier = seq;
  }

  /** Runs {@code then} when all before {@code seq}, and all else that is wanted, is durable. */
  void afterAllBefore(long seq, long session, Runnable then) {
    afterAll = then;
    want(seq - 1);
    flushIfWanted(session);
  }

  /** Begins a flush, if what is wanted next is written and none is under way. */
  void flushIfWanted(long session) {
    if (!flushing && !wanted.isEmpty() && wanted.peek() <= done.contiguous()) {
      flushing = true;
      Change flush = new Change().flush().fromUpstream();
      flush.seq = done.contiguous();
      flush.session = session;
      core.submit(flush);
    }
  }

  /** A flush has ended; {@code seq} is durable now where it {@code succeeded}. */
  void flushed(long seq, boolean succeeded) {
    flushing = false;
    if (succeeded) {
      durable = seq;
      while (!wanted.isEmpty() && wanted.peek() <= durable) {
        wanted.poll();
      }
    }
  }

  /** Whether what nothing may pass is durable now; it holds nothing any more then. */
  boolean barrierFalls() {
    if (barrier == 0 || barrier > durable) {
      return false;
    }
    barrier = 0;
    return true;
  }

  /** What waited until all is durable, or null while it waits; it is given once. */
  Runnable due() {
    if (afterAll == null || !wanted.isEmpty()) {
      return null;
    }
    Runnable due = afterAll;
    afterAll = null;
    return due;
  }
}
