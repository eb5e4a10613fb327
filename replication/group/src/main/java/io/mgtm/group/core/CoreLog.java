package io.mgtm.group.core;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A member's log and checkpoint, as the core sees them. Called by the owner thread; an
 * implementation may throw {@link io.mgtm.group.LogException}, after which the member must stop.
 */
public interface CoreLog {

  /**
   * A checkpoint of a committed state.
   *
   * @param bytes of its content
   * @param crc the checksum of its content
   */
  record Checkpoint(long index, long term, Membership membership, long bytes, int crc) {
    /** One without a state: the position of a witness. */
    public static Checkpoint position(long index, long term, Membership membership) {
      return new Checkpoint(index, term, membership, 0, 0);
    }
  }

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

  /** Starts forcing what is appended; the core hears of it by {@link GroupCore#synced}. */
  void requestForce();

  /** The newest checkpoint on disk, or null; it reaches at least to the base. */
  Checkpoint newestCheckpoint();

  /**
   * Some of a checkpoint's content.
   *
   * @return one byte at least before its end; null when it is not kept any more
   */
  default ByteBuffer read(Checkpoint checkpoint, long offset, int bytesMax) {
    return null;
  }

  /**
   * Stores a piece of a checkpoint that comes in, which follows what was stored of it, or begins
   * it; anything else that was coming in is forgotten. The core hears of it by {@link
   * GroupCore#received}, and again once all of it is sound, on disk and decoded.
   */
  default void receive(Checkpoint checkpoint, long offset, ByteBuffer piece) {
    throw new UnsupportedOperationException("this log keeps no checkpoints");
  }

  /**
   * Replaces log and state by the checkpoint that has come in, of which the core has heard that it
   * is ready; on return it is on disk, and the base is its index.
   */
  void install(Checkpoint checkpoint);
}
