package io.mgtm.gtm.command;

import java.util.Arrays;

/** One flag for each item of a grouped command, in its order. */
public final class Flags {
  /** One item, and the flag is set. */
  public static final Flags ONE_SET = new Flags(new boolean[] {true});

  private final boolean[] flags;

  private Flags(boolean[] flags) {
    this.flags = flags;
  }

  /** Takes a copy of {@code flags}. */
  public static Flags of(boolean... flags) {
    return new Flags(flags.clone());
  }

  public int count() {
    return flags.length;
  }

  public boolean get(int i) {
    return flags[i];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Flags f && Arrays.equals(flags, f.flags);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(flags);
  }

  @Override
  public String toString() {
    return Arrays.toString(flags);
  }
}
