package io.mgtm.gtm.sim;

import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * How a member's state came about: the entries applied are chained, so that two members with the
 * same value at a place have the same history up to there.
 *
 * <pre>
 * | index:i64 | chain:i64 | loss told at:i64 |
 * </pre>
 */
final class StateTrace {
  /** The history before the first entry. */
  static final long NOTHING = 0;

  static final int BYTES = 24;

  private final String name;
  private final TreeMap<Long, Long> history = new TreeMap<>();
  private long applied;
  private long chain = NOTHING;
  private long lossToldAt;
  private long base;
  private long compared;
  private int comparedAt;
  private long baseHash = NOTHING;

  StateTrace(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  /** The chain at each entry since the last restore. */
  NavigableMap<Long, Long> history() {
    return history;
  }

  long base() {
    return base;
  }

  long baseHash() {
    return baseHash;
  }

  /**
   * Up to where it was compared with the group's history.
   *
   * @param losses how often that was cut; each time all is to be compared again
   */
  long comparedTo(int losses) {
    return losses == comparedAt ? Math.max(base, compared) : base;
  }

  void compared(long index, int losses) {
    compared = Math.max(comparedTo(losses), index);
    comparedAt = losses;
  }

  /** The last place where it was told that entries may be missing. */
  long lossToldAt() {
    return lossToldAt;
  }

  /** The last entry that changed it. */
  long applied() {
    return applied;
  }

  void apply(long index, ByteBuffer payload) {
    if (index <= applied) {
      throw new Violation("%s applies entry %d after %d".formatted(name, index, applied));
    }
    CRC32C crc = new CRC32C();
    crc.update(payload.duplicate());
    add(index, crc.getValue());
  }

  private void add(long index, long value) {
    applied = index;
    chain = Long.rotateLeft((chain + index) * 0x9E3779B97F4A7C15L, 23) + value + 1;
    history.put(index, chain);
  }

  void entriesMayBeMissing(long index) {
    lossToldAt = index;
    add(index, -7);
  }

  /** What stands before a state. */
  record Head(long applied, long chain, long lossToldAt) {}

  StatePicture before(StatePicture state) {
    ByteBuffer head = ByteBuffer.allocate(BYTES);
    head.putLong(applied).putLong(chain).putLong(lossToldAt).flip();
    return pieces -> {
      pieces.accept(head.duplicate());
      state.writeTo(pieces);
    };
  }

  static Head head(Pieces encoded) {
    Head[] read = new Head[1];
    encoded.head(from -> read[0] = new Head(from.getLong(), from.getLong(), from.getLong()));
    return read[0];
  }

  void restore(Head head) {
    applied = head.applied();
    chain = head.chain();
    lossToldAt = head.lossToldAt();
    base = applied;
    compared = 0;
    baseHash = chain;
    history.clear();
  }
}
