package io.mgtm.bench.check;

import io.mgtm.bench.check.Finding.Kind;

/**
 * Checks the values of one ascending sequence that does not cycle: none comes twice, and none is
 * below one that was known before it was asked for. Any thread.
 */
public final class SequenceChecker {
  private final String key;
  private final GivenOut givenOut;
  private final Findings findings;
  private volatile long newest = Long.MIN_VALUE;

  /**
   * Makes a checker.
   *
   * @param key what {@code givenOut} knows the sequence by
   */
  public SequenceChecker(String key, GivenOut givenOut, Findings findings) {
    this.key = key;
    this.givenOut = givenOut;
    this.findings = findings;
  }

  /** A value is about to be asked for; what to hand to {@link #drawn} with it. */
  public long asked() {
    return newest;
  }

  /**
   * A value was received.
   *
   * @param knownBefore what {@link #asked} returned
   */
  public void drawn(long value, long knownBefore) {
    if (!givenOut.addValue(key, value)) {
      findings.add(Kind.VALUE_TWICE, "sequence " + key + " gave " + value + " twice");
    }
    if (value < knownBefore) {
      findings.add(
          Kind.VALUE_WENT_BACK,
          "sequence " + key + " gave " + value + " to who asked after " + knownBefore);
    }
    raise(value);
  }

  private synchronized void raise(long value) {
    if (value > newest) {
      newest = value;
    }
  }
}
