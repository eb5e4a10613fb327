package io.mgtm.bench.fault;

import java.util.Objects;

/**
 * What a sequence with increment 1 and no bounds does when its commands come one after the other:
 * the specification that histories are checked against. Its methods are called by name.
 */
public final class RegisterSpec {
  private long value;
  private long last;

  /** The next value. */
  public long next() {
    value++;
    last = value;
    return value;
  }

  /** Sets the value; the one before it becomes the last one. */
  public void set(long to) {
    last = value;
    value = to;
  }

  /** The last value. */
  public long last() {
    return last;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegisterSpec that && value == that.value && last == that.last;
  }

  @Override
  public int hashCode() {
    return Objects.hash(value, last);
  }
}
