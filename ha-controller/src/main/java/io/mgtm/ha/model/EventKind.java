package io.mgtm.ha.model;

/** What an event is about, for those who want to be told of some. */
public enum EventKind {
  /** Another controller leads. */
  LEADER,
  /** A node is silent, or is heard again. */
  NODE,
  /**
   * A hierarchy goes in service, out of it, or to another node, or waits for an operator to say so.
   */
  SERVICE,
  /** Something has failed, was repaired, or cannot be in service anywhere. */
  FAILURE,
  /** Which copies of a volume have everything acknowledged. */
  COPY,
  /** An operator has asked for something. */
  OPERATOR
}
