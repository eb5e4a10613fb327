package io.mgtm.group.net;

/** In what order the messages of a group are delivered. */
public enum MessageOrder {
  /** What one member sends to another mostly comes in order; no message waits for one of others. */
  FIFO,

  /** No message is delivered before one that it causally follows: see {@link Causal}. */
  CAUSAL
}
