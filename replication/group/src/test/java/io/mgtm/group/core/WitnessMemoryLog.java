package io.mgtm.group.core;

/** The position of a witness whose process never loses anything. */
final class WitnessMemoryLog extends PositionLog {
  /** How often a position, or a membership, was stored. */
  int stored;

  WitnessMemoryLog() {
    super(BEGINNING);
  }

  boolean isNew() {
    return stored == 0;
  }

  @Override
  protected void store(Checkpoint next) {
    stored++;
  }
}
