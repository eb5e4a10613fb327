package io.mgtm.group.core;

/** What an entry of the log is. The order is the log's encoding: add at the end only. */
public enum EntryKind {
  /** A command of the state machine. */
  COMMAND,
  /** The first entry of a leader: {@link TermStart}. */
  TERM_START,
  /** A change of the {@link Membership}, which is its payload. */
  MEMBERSHIP
}
