package io.mgtm.rdma;

/** Where a connection stands. */
public enum RdmaState {
  /** Its queues are there; receives can be posted; the peer does not know yet. */
  PREPARED,
  /** Messages flow. */
  CONNECTED,
  /** One side left; what was posted completes with {@link WorkStatus#WR_FLUSH_ERR}. */
  DISCONNECTED,
  /** It could not be established, or a piece of work failed, after which nothing flows. */
  FAILED,
  /** It is freed. */
  CLOSED
}
