package io.mgtm.group.core;

import java.util.List;

/** The position of a witness whose process never loses anything. */
final class WitnessMemoryLog implements CoreLog {
  private Checkpoint position = Checkpoint.position(0, 0, Membership.NONE);

  /** How often a position, or a membership, was stored. */
  int stored;

  Checkpoint position() {
    return position;
  }

  boolean isNew() {
    return stored == 0;
  }

  @Override
  public long baseIndex() {
    return position.index();
  }

  @Override
  public long lastIndex() {
    return position.index();
  }

  @Override
  public long durableIndex() {
    return position.index();
  }

  @Override
  public long termAt(long index) {
    return position.term();
  }

  @Override
  public List<Entry> read(long fromIndex, int bytesMax) {
    throw new UnsupportedOperationException("no entries");
  }

  @Override
  public boolean hasRoom() {
    return false;
  }

  @Override
  public void append(Entry entry) {
    throw new UnsupportedOperationException("no entries");
  }

  @Override
  public void truncate(long fromIndex) {
    throw new UnsupportedOperationException("no entries");
  }

  @Override
  public void requestForce() {}

  @Override
  public Checkpoint newestCheckpoint() {
    return null;
  }

  @Override
  public void install(Checkpoint next) {
    position = next;
    stored++;
  }
}
