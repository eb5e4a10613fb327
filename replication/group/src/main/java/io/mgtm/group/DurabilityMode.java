package io.mgtm.group;

/** How much of the log is forced to disk (key {@code durability}). */
public enum DurabilityMode {
  /** Each entry is forced as the state machine asks; see {@link Durability}. */
  CRITICAL,

  /** Every entry is forced before its reply leaves, in batches. */
  ALL;

  /** The durability that {@code asked} becomes under this mode. */
  public Durability atLeast(Durability asked) {
    return this == ALL ? Durability.REQUIRED : asked;
  }
}
