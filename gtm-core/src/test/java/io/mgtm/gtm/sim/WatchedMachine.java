package io.mgtm.gtm.sim;

import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A member's state with a trace of how it came about: the entries applied are chained, so that two
 * members with the same value at a place have the same history up to there.
 *
 * <pre>
 * checkpoint: | index:i64 | chain:i64 | loss told at:i64 | the state's |
 * </pre>
 */
final class WatchedMachine implements StateMachine {
  /** The history before the first entry. */
  static final long NOTHING = 0;

  private static final int HEADER_BYTES = 24;

  private final String name;
  private final StateMachine machine;
  private final boolean forgetsSessions;
  private final Runnable told;
  private final Runnable forget;
  private final TreeMap<Long, Long> history = new TreeMap<>();
  private long applied;
  private long chain = NOTHING;
  private long lossToldAt;
  private long base;
  private long compared;
  private int comparedAt;
  private long baseHash = NOTHING;

  /**
   * A state at its beginning.
   *
   * @param told run when it is told that entries may be missing
   * @param forget run after each restore, by a planted fault
   */
  WatchedMachine(String name, StateMachine machine, Runnable told, Runnable forget) {
    this.told = told;
    this.name = name;
    this.machine = machine;
    this.forgetsSessions = forget != null;
    this.forget = forget;
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

  @Override
  public void apply(long index, ByteBuffer payload) {
    chain(index, payload);
    machine.apply(index, payload);
  }

  /** The leader has applied what is now an entry. */
  void appended(long index, ByteBuffer payload) {
    chain(index, payload);
  }

  private void chain(long index, ByteBuffer payload) {
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

  @Override
  public void entriesMayBeMissing(long index) {
    lossToldAt = index;
    add(index, -7);
    told.run();
    machine.entriesMayBeMissing(index);
  }

  /** The state alone. */
  byte[] state() {
    return machine.checkpoint();
  }

  @Override
  public byte[] checkpoint() {
    byte[] state = machine.checkpoint();
    ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES + state.length);
    return to.putLong(applied).putLong(chain).putLong(lossToldAt).put(state).array();
  }

  @Override
  public void restore(ByteBuffer checkpoint) {
    applied = checkpoint.getLong();
    chain = checkpoint.getLong();
    lossToldAt = checkpoint.getLong();
    base = applied;
    compared = 0;
    baseHash = chain;
    history.clear();
    machine.restore(checkpoint.slice());
    if (forgetsSessions) {
      forget.run();
    }
  }
}
