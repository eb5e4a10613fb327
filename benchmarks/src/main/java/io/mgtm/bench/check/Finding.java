package io.mgtm.bench.check;

/** Something that no correct GTM answers. */
public record Finding(Kind kind, String text) {

  /** Which rule was broken. */
  public enum Kind {
    /** A gxid was given twice. */
    GXID_TWICE,
    /** A gxid is older than one that was known before it was asked for. */
    GXID_WENT_BACK,
    /** A snapshot does not show a transaction as running that certainly was. */
    RUNNING_HIDDEN,
    /** A snapshot shows a transaction as running that had certainly ended. */
    ENDED_SHOWN,
    /** The parts of a snapshot contradict each other, or an earlier snapshot. */
    SNAPSHOT_INCONSISTENT,
    /** A sequence gave a value twice. */
    VALUE_TWICE,
    /** A value is not behind one that was known before it was asked for. */
    VALUE_WENT_BACK
  }

  @Override
  public String toString() {
    return kind + ": " + text;
  }
}
