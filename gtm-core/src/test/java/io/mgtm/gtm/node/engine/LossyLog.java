package io.mgtm.gtm.node.engine;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.DurabilityGate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A log in memory whose disk is under the test's control: nothing is forced unless the test says
 * so, and a power cut loses what was not, from a random entry on. It can be told to break its
 * promises, to see whether somebody notices.
 */
public final class LossyLog implements ReplicatedLog {
  /** What it does wrong. */
  public enum Fault {
    NONE,
    /** Everything counts as committed at once. */
    COMMITS_EARLY,
    /** Entries that must be on disk before their replies leave count as others. */
    FORGETS_REQUIRED,
    /** Raises of reservations do not wait for the one before. */
    FORGETS_AHEAD
  }

  private final Fault fault;
  private final List<byte[]> entries = new ArrayList<>();
  private DurabilityGate gate = new DurabilityGate(0);
  private long durableIndex;
  private long checkpointIndex;
  private byte[] checkpoint;
  private boolean full;

  public LossyLog(Fault fault) {
    this.fault = fault;
  }

  void full(boolean isFull) {
    full = isFull;
  }

  /** Forces everything up to an index; what that commits is seen in {@link #committedIndex()}. */
  void force(long index) {
    durableIndex = Math.max(durableIndex, index);
    gate.durable(durableIndex);
  }

  /** Keeps the state after the last entry, which is forced before that, as the real log does. */
  void checkpoint(byte[] state) {
    force(lastIndex());
    checkpoint = state;
    checkpointIndex = lastIndex();
  }

  /** Loses what a power cut loses. */
  void cutPower(Random random) {
    long kept = durableIndex + random.nextInt((int) (lastIndex() - durableIndex) + 1);
    entries.subList((int) kept, entries.size()).clear();
  }

  /** Opens again what is there after a crash. */
  void recover(GtmStateMachine machine) {
    if (checkpoint != null) {
      machine.load(Pieces.of(ByteBuffer.wrap(checkpoint))).run();
    }
    for (long index = checkpointIndex + 1; index <= lastIndex(); index++) {
      machine.apply(index, ByteBuffer.wrap(entries.get((int) index - 1)));
    }
    durableIndex = lastIndex();
    gate = new DurabilityGate(durableIndex);
    full = false;
  }

  @Override
  public boolean hasRoom(int bytes) {
    return !full;
  }

  @Override
  public String noRoomReason() {
    return "the simulated disk is full";
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    if (full) {
      throw new IllegalStateException("appended without room");
    }
    byte[] copy = new byte[payload.remaining()];
    payload.get(payload.position(), copy);
    entries.add(copy);
    gate.appended(lastIndex(), broken(durability));
    return lastIndex();
  }

  private Durability broken(Durability durability) {
    return switch (fault) {
      case FORGETS_REQUIRED -> durability == Durability.REQUIRED ? Durability.BUFFERED : durability;
      case FORGETS_AHEAD -> durability == Durability.AHEAD ? Durability.BUFFERED : durability;
      default -> durability;
    };
  }

  @Override
  public long committedIndex() {
    return fault == Fault.COMMITS_EARLY ? lastIndex() : gate.committedIndex();
  }

  @Override
  public long lastIndex() {
    return entries.size();
  }

  @Override
  public void close() {
    force(lastIndex());
  }
}
