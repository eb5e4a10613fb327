package io.mgtm.rdma;

/** What is complete. */
public enum RdmaWork {
  /** A send or write of this side: the peer's device has it. */
  SENT,
  /** A message is in the receive's memory. */
  RECEIVED,
  /** A message with a number is in the receive's memory. */
  RECEIVED_IMMEDIATE,
  /** The peer wrote into this side's memory, and tells a number; it used a receive up for that. */
  WRITTEN
}
