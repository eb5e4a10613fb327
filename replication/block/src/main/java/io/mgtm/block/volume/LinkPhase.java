package io.mgtm.block.volume;

/** Where a link stands. */
public enum LinkPhase {
  /** No connection; it is being tried again, or this side has no reason to connect. */
  DOWN,
  /** Connected; the decision what to send is being written down. */
  MEETING,
  /** Attached; chunks that differ are being sent, and new writes with them. */
  SYNCING,
  /** Attached; all was sent, the target is making it durable. */
  FINISHING,
  /** Attached; the target equals this side but for what is in the queue. */
  UP_TO_DATE,
  /**
   * The queue overflowed and by choice new writes are noted in the bitmap only, until the queue is
   * empty.
   */
  BEHIND,
  /** The sides cannot be paired until an operator acts. */
  REFUSED,
  /** An operator suspended the link. */
  PAUSED
}
