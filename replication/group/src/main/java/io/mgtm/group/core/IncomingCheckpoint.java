package io.mgtm.group.core;

/**
 * How far a checkpoint has come in. One piece at a time is stored; what comes again, too early or
 * damaged is left, and the leader sends it once more. Owner thread.
 */
final class IncomingCheckpoint {
  /** How long after one could not be stored the next try begins. */
  private static final long RETRY_MS = 1_000;

  private CoreLog.Checkpoint checkpoint;
  private long term;
  private long stored;
  private boolean storing;
  private boolean ready;
  private long retryAtMs;

  /** Whether a piece is to be stored now; what comes of it is told by {@link #stored}. */
  boolean wants(Message.CheckpointPiece m, long nowMs) {
    if (!isOf(m.checkpoint(), m.term())) {
      checkpoint = m.checkpoint();
      term = m.term();
      stored = 0;
      storing = false;
      ready = false;
      retryAtMs = 0;
    }
    boolean follows = m.offset() == stored && m.piece().hasRemaining();
    if (storing || !follows || nowMs < retryAtMs || !m.isSound()) {
      return false;
    }
    storing = true;
    return true;
  }

  /** Whether this is what comes in, of a leader of that term. */
  boolean isOf(CoreLog.Checkpoint other, long ofTerm) {
    return other.equals(checkpoint) && term == ofTerm;
  }

  /**
   * It is stored up to an offset; at 0 it could not be, and is to begin again.
   *
   * @param installable whether all of it may be installed
   */
  void stored(long offset, boolean installable, long nowMs) {
    stored = offset;
    ready = installable;
    storing = false;
    retryAtMs = offset == 0 ? nowMs + RETRY_MS : 0;
  }

  void forget() {
    checkpoint = null;
    stored = 0;
    storing = false;
    ready = false;
  }

  boolean isReady() {
    return ready;
  }

  CoreLog.Checkpoint checkpoint() {
    return checkpoint;
  }

  long stored() {
    return stored;
  }
}
