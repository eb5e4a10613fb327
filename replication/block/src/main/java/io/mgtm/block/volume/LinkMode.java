package io.mgtm.block.volume;

/** What a reply to a write waits for on one link. */
public enum LinkMode {
  /** The target's disk has the write; FLUSH and FUA wait for the target's stable storage. */
  SYNC,
  /** The target's memory has the write, and that a FLUSH was asked for. */
  SEMI,
  /** The link's queue has it. */
  ASYNC
}
