package io.mgtm.block.volume;

/** What a side of a volume may do. */
public enum Role {
  /** Serves reads and writes, and sends them to its replicas. */
  PRIMARY,
  /** Takes writes from its upstream only. */
  SECONDARY
}
