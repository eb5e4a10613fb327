package io.mgtm.block.volume;

import java.util.ArrayDeque;

/**
 * The order of a source's frames: one after the other by their sequence numbers, and none while the
 * one before is being written down, when they wait in a bounded backlog.
 */
final class FrameOrder {
  private static final int BACKLOG_MAX = 65_536;

  private final ArrayDeque<Runnable> backlog = new ArrayDeque<>();
  private boolean held;
  private boolean draining;
  private long arrived;
  private long received;

  /** A new connection: sequence numbers begin at 1. */
  void begin() {
    arrived = 0;
    received = 0;
  }

  /** All up to this sequence number have come, those in the backlog too. */
  long arrived() {
    return arrived;
  }

  /** All up to this sequence number have had their turn. */
  long received() {
    return received;
  }

  /** Whether frames are to be left unread for now. */
  boolean isHeld() {
    return held;
  }

  /** Whether {@code seq} is the next, and there is room for it. */
  boolean isDue(long seq) {
    return seq == arrived + 1 && backlog.size() < BACKLOG_MAX;
  }

  /** Runs the next frame, {@code seq}, now or when it is its turn. */
  void take(long seq, Runnable frame) {
    arrived = seq;
    Runnable turn =
        () -> {
          received = seq;
          frame.run();
        };
    if (held || !backlog.isEmpty()) {
      backlog.add(turn);
    } else {
      turn.run();
    }
  }

  /** No further frame has its turn until {@link #release}. */
  void hold() {
    held = true;
  }

  void release() {
    held = false;
  }

  /** Runs what waits, until it is held again. */
  void drain() {
    if (draining) {
      return;
    }
    draining = true;
    while (!held && !backlog.isEmpty()) {
      backlog.poll().run();
    }
    draining = false;
  }

  /** The connection is gone: what waits is run, which sees that, and nothing is held. */
  void forget() {
    held = false;
    for (Runnable frame = backlog.poll(); frame != null; frame = backlog.poll()) {
      frame.run();
    }
  }
}
