package io.mgtm.group.net;

/** Whom a member reaches over links of its own. */
public enum Reach {
  /** The members of its view; what others send is dropped. */
  VIEW,

  /**
   * Those that have left its view too, until the connection breaks. For a log that may hear anybody
   * at any time: one that hung is back at once then, while views take seconds to merge.
   */
  CONNECTION
}
