package io.mgtm.group;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How much of the log a group forces to disk (key {@code durability}). */
public enum DurabilityMode {
  /** Each entry is synced as the state machine asks; see {@link Durability}. */
  CRITICAL,

  /** Every entry is synced before its reply leaves, in batches. */
  ALL;

  /** As it stands in a replicated log and in messages. */
  public byte code() {
    return switch (this) {
      case CRITICAL -> 0;
      case ALL -> 1;
    };
  }

  /** Of a {@link #code}; throws IllegalArgumentException when there is none. */
  public static DurabilityMode of(byte code) {
    return switch (code) {
      case 0 -> CRITICAL;
      case 1 -> ALL;
      default -> throw new IllegalArgumentException("a durability mode of " + code);
    };
  }

  /** As operators write it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The mode of a {@link #label}; empty when there is none. */
  public static Optional<DurabilityMode> named(String label) {
    return Arrays.stream(values()).filter(mode -> mode.label().equals(label)).findFirst();
  }

  /** The durability that {@code asked} becomes under this mode. */
  public Durability atLeast(Durability asked) {
    return this == ALL ? Durability.REQUIRED : asked;
  }
}
