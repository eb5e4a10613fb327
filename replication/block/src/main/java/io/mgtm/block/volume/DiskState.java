package io.mgtm.block.volume;

/** How good a copy's bytes are, by the names that DRBD gives. */
public enum DiskState {
  /** Equal to what was acknowledged. */
  UP_TO_DATE("UpToDate"),
  /** Whole, but perhaps not the newest. */
  CONSISTENT("Consistent"),
  /** Whole, and known not to be the newest. */
  OUTDATED("Outdated"),
  /** In the middle of a resync, or never filled. */
  INCONSISTENT("Inconsistent"),
  /** The backing store and the metadata fail; what was answered may not be there. */
  FAILED("Failed"),
  /** The backing store is gone. */
  DISKLESS("Diskless");

  private final String word;

  DiskState(String word) {
    this.word = word;
  }

  @Override
  public String toString() {
    return word;
  }
}
