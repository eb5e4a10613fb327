package io.mgtm.group.core;

/** What an entry of the log is. */
public enum EntryKind {
  /** A command of the state machine. */
  COMMAND((byte) 0),
  /** The first entry of a leader: {@link TermStart}. */
  TERM_START((byte) 1),
  /** A change of the {@link Membership}, which is its payload. */
  MEMBERSHIP((byte) 2);

  private final byte code;

  EntryKind(byte code) {
    this.code = code;
  }

  /** As it stands in the log and in messages. */
  public byte code() {
    return code;
  }

  /** Of a {@link #code}; throws IllegalArgumentException when there is none. */
  public static EntryKind of(byte code) {
    for (EntryKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new IllegalArgumentException("an entry of kind " + code);
  }
}
