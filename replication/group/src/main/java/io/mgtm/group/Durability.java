package io.mgtm.group;

/**
 * What an entry asks of stable storage before its reply may leave. The state machine says it for
 * each entry it applies; the configured {@link DurabilityMode} may raise it.
 */
public enum Durability {
  /** Written to the log, synced to disk with whatever is synced next. */
  BUFFERED,

  /**
   * Synced soon, and nobody waits for it; but entries from the next {@code AHEAD} entry on wait
   * until this one is on disk. It is how reservations are made: the mark that an entry raises
   * covers only what is handed out after the next raise, so by then it must be on disk.
   */
  AHEAD,

  /** On disk before its reply, or the reply of any later entry, leaves. */
  REQUIRED;

  /** As it stands in a replicated log and in messages. */
  public byte code() {
    return switch (this) {
      case BUFFERED -> 0;
      case AHEAD -> 1;
      case REQUIRED -> 2;
    };
  }

  /** Of a {@link #code}; throws IllegalArgumentException when there is none. */
  public static Durability of(byte code) {
    return switch (code) {
      case 0 -> BUFFERED;
      case 1 -> AHEAD;
      case 2 -> REQUIRED;
      default -> throw new IllegalArgumentException("a durability of " + code);
    };
  }
}
