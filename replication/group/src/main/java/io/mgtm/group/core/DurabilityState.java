package io.mgtm.group.core;

/** What a member is sure to have after its last start. */
public enum DurabilityState {
  /** Everything that it ever acknowledged. */
  INTACT((byte) 0),
  /** At least what it acknowledged as synced: its machine may have lost the rest. */
  SYNCED_ONLY((byte) 1),
  /** Less than that: it was started on an older copy of its folder, and a leader has noticed. */
  OLDER_COPY((byte) 2);

  private final byte code;

  DurabilityState(byte code) {
    this.code = code;
  }

  /** As it stands on disk and in messages. */
  public byte code() {
    return code;
  }

  /** Of a {@link #code}; throws IllegalArgumentException when there is none. */
  public static DurabilityState of(byte code) {
    return switch (code) {
      case 0 -> INTACT;
      case 1 -> SYNCED_ONLY;
      case 2 -> OLDER_COPY;
      default -> throw new IllegalArgumentException("a durability state of " + code);
    };
  }
}
