package io.mgtm.query.order;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What a server has in one database, as its own table says. One thread. */
public final class Position {
  private final Map<Integer, Long> bySlot = new HashMap<>();
  private final Set<UUID> committed = new HashSet<>();
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

  /** A transaction was committed that it had prepared; its number may not be noted yet. */
  public void committed(UUID token) {
    committed.add(token);
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

  /** Whether it has noted an entry of a slot, or a later one. */
  public boolean has(long number, int slot) {
    return of(slot) >= number;
  }

  /** Whether it has committed a transaction of an entry, noted or not. */
  public boolean has(long number, Part part) {
    return has(number, part.slot()) || (part.token() != null && committed.contains(part.token()));
  }

  /** It was given an entry. */
  public void took(long number, int slot) {
    bySlot.merge(slot, number, Math::max);
    highestEntry = Math.max(highestEntry, number);
  }
}
