package io.mgtm.group.core;

import java.util.List;

/** What a witness keeps in place of a log: one position, see {@link WitnessRole}. Owner thread. */
public abstract class PositionLog implements CoreLog {
  /** That of a witness which has heard no leader. */
  public static final Checkpoint BEGINNING = Checkpoint.position(0, 0, Membership.NONE);

  private Checkpoint position;

  /** One that is on disk. */
  protected PositionLog(Checkpoint position) {
    this.position = position;
  }

  /** On return the position is on disk, or nobody hears of it before it is. */
  protected abstract void store(Checkpoint next);

  public final Checkpoint position() {
    return position;
  }

  /** The memberships that a witness begins with: that of its position, or else what it has met. */
  public final MembershipHistory members(Membership initial) {
    Membership known = position.membership();
    return known.equals(Membership.NONE)
        ? new MembershipHistory(0, initial)
        : new MembershipHistory(position.index(), known);
  }

  @Override
  public final long baseIndex() {
    return position.index();
  }

  @Override
  public final long lastIndex() {
    return position.index();
  }

  @Override
  public final long durableIndex() {
    return position.index();
  }

  @Override
  public final long termAt(long index) {
    if (index != position.index()) {
      throw new IllegalArgumentException("a witness knows no term of entry " + index);
    }
    return position.term();
  }

  @Override
  public final List<Entry> read(long fromIndex, int bytesMax) {
    throw noEntries();
  }

  /** A witness does not lead. */
  @Override
  public final boolean hasRoom() {
    return false;
  }

  @Override
  public final void append(Entry entry) {
    throw noEntries();
  }

  @Override
  public final void truncate(long fromIndex) {
    throw noEntries();
  }

  private static IllegalStateException noEntries() {
    return new IllegalStateException("a witness keeps no entries");
  }

  @Override
  public final void requestForce() {}

  /** None: what the position stands for is committed by its leader, and not known here. */
  @Override
  public final Checkpoint newestCheckpoint() {
    return null;
  }

  @Override
  public final void install(Checkpoint next) {
    store(next);
    position = next;
  }
}
