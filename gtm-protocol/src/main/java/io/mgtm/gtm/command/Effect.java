package io.mgtm.gtm.command;

/**
 * What applying a command did to the state, in terms of what must be stored before its reply
 * leaves. The order is that of strength.
 */
public enum Effect {
  /** Nothing changed: the command need not be logged. */
  NONE,
  /** Changed something that the cluster re-creates after a power cut. */
  LOGGED,
  /** Raised a reservation: to be on disk before the next raise is acknowledged. */
  RESERVED,
  /** Changed something that must be on disk before the reply leaves. */
  FORCED;

  public Effect and(Effect other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
