package io.mgtm.group.storage;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Remembers the highest index known to be on disk, as evidence for recovery: a log that ends before
 * it has been damaged. It is stored after each force and not forced itself, so it may lag but never
 * lie; it survives the death of the process at once, and of the machine once the system has written
 * it back.
 *
 * <p>Two slots of an index and its check are used in turn, so that a death between the two stores
 * leaves the other slot. Methods are called under the store's force lock.
 */
final class DurableMark {
  private static final String NAME = "durable";
  private static final int FILE_BYTES = 4096;
  private static final int SLOT_BYTES = 16;

  private final MappedFile file;
  private final long salt;
  private int nextSlot;

  private DurableMark(MappedFile file, UUID member) {
    this.file = file;
    this.salt =
        member.getMostSignificantBits() ^ Long.rotateLeft(member.getLeastSignificantBits(), 1);
  }

  /** Opens the mark, and makes it when it is absent; a mark of another size is made anew. */
  static DurableMark open(StorageFiles files, UUID member) {
    if (files.list().contains(NAME)) {
      MappedFile file = files.map(NAME);
      if (file.buffer().capacity() == FILE_BYTES) {
        return new DurableMark(file, member);
      }
    }
    String unfinished = NAME + FileNames.UNFINISHED;
    MappedFile file = files.create(unfinished, FILE_BYTES);
    files.rename(unfinished, NAME);
    files.forceDirectory();
    return new DurableMark(file, member);
  }

  /** The highest index that the mark vouches for; 0 when it vouches for none. */
  long read() {
    return Math.max(read(0), read(SLOT_BYTES));
  }

  private long read(int offset) {
    ByteBuffer buffer = file.buffer();
    long index = buffer.getLong(offset);
    return buffer.getLong(offset + 8) == check(index) ? index : 0;
  }

  /** Stores a higher index. */
  void raise(long index) {
    store(nextSlot * SLOT_BYTES, index);
    nextSlot ^= 1;
  }

  /** Stores an index that may be lower; on return the old one is gone from disk. */
  void reset(long index) {
    store(0, index);
    store(SLOT_BYTES, index);
    file.force(0, 2 * SLOT_BYTES);
  }

  private void store(int offset, long index) {
    file.buffer().putLong(offset + 8, check(index));
    file.buffer().putLong(offset, index);
  }

  private long check(long index) {
    return Long.rotateLeft((index ^ salt) * 0x9E3779B97F4A7C15L, 29) ^ salt;
  }
}
