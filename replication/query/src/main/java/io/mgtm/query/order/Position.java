package io.mgtm.query.order;

import java.util.HashMap;
import java.util.Map;

/** What a server has in one database, as its own table says. One thread. */
public final class Position {
  private final Map<Integer, Long> bySlot = new HashMap<>();
  private long settled;
  private long highestEntry;
  private long highestFence;

  /** A row of its table. */
  public void row(int slot, long entry, long settledThen, long fence) {
    bySlot.put(slot, entry);
    settled = Math.max(settled, settledThen);
    highestEntry = Math.max(highestEntry, entry);
    highestFence = Math.max(highestFence, fence);
  }

  /** All entries up to this one are there. */
  public long settled() {
    return settled;
  }

  /** The highest number that it names: no entry may be made below. */
  public long highest() {
    return Math.max(highestEntry, highestFence);
  }

  /** The highest fence that was set there. */
  public long highestFence() {
    return highestFence;
  }

  /** Whether it says nothing: its table was only just made. */
  public boolean isBlank() {
    return settled == 0 && highestEntry == 0;
  }

  /** Whether it has of each slot what another has. */
  public boolean equalsIn(Position other) {
    return other.isWithin(this, Long.MAX_VALUE) && isWithin(other, Long.MAX_VALUE);
  }

  /** Whether another has all of it, up to a number. */
  public boolean isWithin(Position other, long number) {
    return bySlot.entrySet().stream()
        .allMatch(row -> row.getValue() > number || other.has(row.getValue(), row.getKey()));
  }

  /** The highest entry that it has. */
  public long highestEntry() {
    return highestEntry;
  }

  /** The highest entry of each slot. */
  public Map<Integer, Long> entries() {
    return Map.copyOf(bySlot);
  }

  /** The highest entry that it has of a slot. */
  public long of(int slot) {
    return bySlot.getOrDefault(slot, 0L);
  }

  public boolean has(long number, int slot) {
    return of(slot) >= number;
  }

  /** It was given an entry. */
  public void took(long number, int slot) {
    bySlot.merge(slot, number, Math::max);
    highestEntry = Math.max(highestEntry, number);
  }
}
