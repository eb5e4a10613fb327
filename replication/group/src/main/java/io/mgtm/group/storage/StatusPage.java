package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a log must remember beside its records, in one page that exists from the start, so that a
 * full disk cannot stand in the way.
 *
 * <pre>
 *  0            16           32           48
 *  | durable A  | durable B  | clean      | truncate   |
 *  64           80           96           112
 *  | restart    | failed     | written A  | written B  |      each: number (8) | check (8)
 * </pre>
 *
 * <ul>
 *   <li><i>durable</i>: the highest index known to be on disk, as evidence for recovery: a log that
 *       ends before it has been damaged. It is stored after each force and not synced itself, so it
 *       may lag but never lies; it survives the death of the process at once, and of the machine
 *       once the system has written it back. Two slots are used in turn, so that a death between
 *       two stores leaves one.
 *   <li><i>clean</i>: the last index of a log that was closed with everything synced.
 *   <li><i>truncate</i>: the first index that a truncation under way removes, or that recovery
 *       wipes. As long as it is there, zeros behind that index may be in memory only.
 *   <li><i>restart</i>: the index that the log will begin at, once the checkpoint before it is on
 *       disk and takes the place of everything.
 *   <li><i>failed</i>: a force has failed, or what was written is missing, with the index that was
 *       on disk then. What was stored behind it and not synced may be gone from now on, without the
 *       machine having died. The note is there at once for the next process, even if the disk does
 *       not take it.
 *   <li><i>written</i>: the highest index that was written and not taken back. It is never synced,
 *       so the death of the machine may make it lower or leave a shorter log; after that of the
 *       process alone a log that ends before it is damaged.
 * </ul>
 *
 * <p>Little-endian. All slots lie in one sector, which a disk writes whole or not at all. A slot
 * whose check does not fit counts as empty; for each of them that is the safe side, or takes two
 * faults at once. Methods exclude each other under the store's force lock, but {@link
 * #raiseWritten}, which the owner thread calls at any time.
 */
final class StatusPage {
  private static final Logger log = LoggerFactory.getLogger(StatusPage.class);
  static final String NAME = "status";

  private static final int FILE_BYTES = 4096;
  private static final int SLOT_BYTES = 16;
  private static final int WRITTEN_AT = 6 * SLOT_BYTES;
  private static final int END = 8 * SLOT_BYTES;
  private static final long NONE = -1;

  /** An index that is noted until it is cleared. */
  enum Note {
    CLEAN(2),
    TRUNCATION(3),
    RESTART(4),
    FAILED(5);

    private final int offset;

    Note(int slot) {
      offset = slot * SLOT_BYTES;
    }
  }

  private final MappedFile file;
  private final long salt;
  private int nextDurableSlot;

  private StatusPage(MappedFile file, UUID member) {
    this.file = file;
    this.salt =
        member.getMostSignificantBits() ^ Long.rotateLeft(member.getLeastSignificantBits(), 1);
  }

  /** Opens the page, and makes it when it is absent; one of another size is made anew. */
  static StatusPage open(StorageFiles files, UUID member) {
    if (files.list().contains(NAME)) {
      MappedFile file = files.map(NAME);
      if (file.buffer().capacity() == FILE_BYTES) {
        return new StatusPage(file, member);
      }
    }
    String unfinished = NAME + FileNames.UNFINISHED;
    MappedFile file = files.create(unfinished, FILE_BYTES);
    files.rename(unfinished, NAME);
    files.forceDirectory();
    return new StatusPage(file, member);
  }

  /** Whether it says nothing at all, as one that was just made, or is damaged all over. */
  boolean isBlank() {
    for (int offset = 0; offset < END; offset += SLOT_BYTES) {
      if (load(offset) != NONE) {
        return false;
      }
    }
    return true;
  }

  /** The highest index that was ever noted as being on disk; 0 when none was. */
  long durable() {
    return Math.max(0, Math.max(load(0), load(SLOT_BYTES)));
  }

  /** Notes a higher index that is on disk. */
  void raiseDurable(long index) {
    store(nextDurableSlot * SLOT_BYTES, index);
    nextDurableSlot ^= 1;
  }

  /** Notes an index that may be lower; on return the higher one is gone from disk. */
  void resetDurable(long index) {
    store(0, index);
    store(SLOT_BYTES, index);
    force();
  }

  /** The index of a note, or -1 without one. */
  long noted(Note note) {
    return load(note.offset);
  }

  /** On return the note is on disk. */
  void note(Note note, long index) {
    store(note.offset, index);
    force();
  }

  /** On return no crash can bring the note back. */
  void clear(Note note) {
    file.zero(note.offset, SLOT_BYTES);
    force();
  }

  /** The highest index that was written, as far as memory or the disk still has the note. */
  long written() {
    return Math.max(0, Math.max(load(WRITTEN_AT), load(WRITTEN_AT + SLOT_BYTES)));
  }

  /** Notes the next index, whose record is stored and of which nobody has heard. Owner thread. */
  void raiseWritten(long index) {
    store(WRITTEN_AT + (int) (index & 1) * SLOT_BYTES, index);
  }

  /** Notes an index that may be lower. */
  void resetWritten(long index) {
    store(WRITTEN_AT, index);
    store(WRITTEN_AT + SLOT_BYTES, index);
  }

  /**
   * Notes that a force has failed, or that what was written is missing.
   *
   * @return whether the note is on disk; if not, it is in memory until the file system is unmounted
   */
  boolean noteFailed() {
    store(Note.FAILED.offset, durable());
    try {
      force();
      return true;
    } catch (LogException | InternalError e) {
      log.error(
          "{}",
          "That a force failed could not be stored either (%s); if this disk is unmounted before the next start, start with an empty folder"
              .formatted(e.getMessage()));
      return false;
    }
  }

  private void force() {
    file.force(0, END);
  }

  private long load(int offset) {
    ByteBuffer buffer = file.buffer();
    long number = buffer.getLong(offset);
    return buffer.getLong(offset + 8) == check(offset, number) ? number : NONE;
  }

  private void store(int offset, long number) {
    file.buffer().putLong(offset + 8, check(offset, number));
    file.buffer().putLong(offset, number);
  }

  private long check(int offset, long number) {
    return Long.rotateLeft((number ^ salt) * 0x9E3779B97F4A7C15L, 29 + offset) ^ salt;
  }
}
