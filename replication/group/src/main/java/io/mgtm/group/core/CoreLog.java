package io.mgtm.group.core;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A member's log and checkpoint, as the core sees them. Called by the owner thread; an
 * implementation may throw {@link io.mgtm.group.LogException}, after which the member must stop.
 */
public interface CoreLog {

  /** A checkpoint of a committed state, its bytes from position 0 to the limit, which stay so. */
  record Checkpoint(long index, long term, Membership membership, ByteBuffer state) {}

  /** The index before the first entry it holds: that of the checkpoint it was cut at, or 0. */
  long baseIndex();

  long lastIndex();

  /** The highest index that is on disk, with all before it. */
  long durableIndex();

  /**
   * The term of an entry; of the base too.
   *
   * @param index from {@link #baseIndex} to {@link #lastIndex}; 0 has term 0
   */
  long termAt(long index);

  /** Entries from an index that it holds on: at least one, then as many as fit into bytesMax. */
  List<Entry> read(long fromIndex, int bytesMax);

  /** Whether a small entry can be appended now: a member without room does not lead. */
  boolean hasRoom();

  /**
   * Appends an entry; its payload is copied or kept as it is.
   *
   * @throws io.mgtm.group.LogException with NO_SPACE when there is no room; nothing has changed
   *     then, and the core may go on
   */
  void append(Entry entry);

  /**
   * Cuts all entries from an index on; on return no crash can bring them back. A state that holds
   * them is restored from checkpoint and log.
   */
  void truncate(long fromIndex);

  /** Starts forcing what is appended; the core hears of it by {@link GroupCore#forced}. */
  void requestForce();

  /** The newest checkpoint on disk, or null; it reaches at least to the base. */
  Checkpoint newestCheckpoint();

  /** Replaces log and state by a checkpoint; on return it is on disk, and the base is its index. */
  void install(Checkpoint checkpoint);
}
