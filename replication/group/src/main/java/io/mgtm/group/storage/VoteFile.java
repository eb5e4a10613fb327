package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of a member's promises, its vote among them, of which the newest note counts. It has two
 * slots, so that a note costs one sync and neither room nor a name:
 *
 * <pre>
 * slot (16 KiB, twice): | magic:i64 | version:i32 | number:i64 | bytes:i32 | note | crc32c:i32 |
 * </pre>
 *
 * <p>Big-endian; the checksum covers all before it in its slot. Note <i>n</i> is stored and synced
 * in slot <i>n</i> mod 2, while the other slot still has note <i>n</i> - 1 on disk: whatever tears
 * note <i>n</i>, nobody has acted upon it. Once it is on disk a copy goes into the other slot, and
 * reaches the disk when the system likes, so that a slot that rots later costs nothing. Whoever
 * opens the file syncs the newest note before the slot of the one before it is used.
 *
 * <p>Earlier versions replaced the file as a whole: a slot without number and bytes. The first note
 * takes the place of such a file. One thread.
 */
public final class VoteFile {
  private static final Logger log = LoggerFactory.getLogger(VoteFile.class);

  private static final int SLOT_BYTES = 16 << 10;
  private static final int FILE_BYTES = 2 * SLOT_BYTES;
  private static final int WHOLE_HEADER_BYTES = Long.BYTES + Integer.BYTES;
  private static final int HEADER_BYTES = WHOLE_HEADER_BYTES + Long.BYTES + Integer.BYTES;
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  /** Of what a member notes at once. */
  public static final int NOTE_BYTES_MAX = SLOT_BYTES - HEADER_BYTES - CHECKSUM_BYTES;

  private final StorageFiles files;
  private final String name;
  private final long magic;
  private final int newest;
  private final int version;
  private MappedFile slots;
  private long number;

  /**
   * What a member noted.
   *
   * @param version of the program that wrote it
   * @param content from its position to its limit
   */
  public record Note(int version, ByteBuffer content) {}

  private record Slot(long number, Note note) {}

  /** A file whose newest version is written. */
  public VoteFile(StorageFiles files, String name, long magic, int version) {
    this(files, name, magic, version, version);
  }

  /**
   * A file that exists once something was noted.
   *
   * @param newest all versions up to this one are read
   * @param version the one that is written
   */
  public VoteFile(StorageFiles files, String name, long magic, int newest, int version) {
    this.files = files;
    this.name = name;
    this.magic = magic;
    this.newest = newest;
    this.version = version;
  }

  /** Whether the folder has it. */
  public boolean exists() {
    return files.list().contains(name);
  }

  /** The file's place as an operator would look for it. */
  public String describe() {
    return files.describe(name);
  }

  /**
   * Reads what the member noted last.
   *
   * @param bytesMin what that takes at the least
   * @throws LogException with CORRUPT when the file is damaged, with FORMAT when a newer version
   *     wrote it
   */
  public Note read(int bytesMin) {
    byte[] bytes = files.read(name);
    Note note = bytes.length == FILE_BYTES ? newest(bytes).note() : whole(bytes);
    if (note == null || note.content().remaining() < bytesMin) {
      throw new LogException(
          Category.CORRUPT,
          "%s is damaged, and without it this member could vote twice; start it with an empty folder, it joins again"
              .formatted(describe()));
    }
    if (note.version() < 1 || note.version() > newest) {
      throw new LogException(
          Category.FORMAT,
          "%s has version %d and this program reads 1 to %d; start the newer program"
              .formatted(describe(), note.version(), newest));
    }
    return note;
  }

  private Note whole(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    int checksumAt = bytes.length - CHECKSUM_BYTES;
    return checksumAt < WHOLE_HEADER_BYTES
            || from.getLong() != magic
            || from.getInt(checksumAt) != checksum(ByteBuffer.wrap(bytes, 0, checksumAt))
        ? null
        : new Note(from.getInt(), from.limit(checksumAt));
  }

  /** Without a note when neither slot can be read. */
  private Slot newest(byte[] bytes) {
    Slot first = slot(bytes, 0);
    Slot second = slot(bytes, 1);
    return first.number() > second.number() ? first : second;
  }

  private Slot slot(byte[] bytes, int which) {
    ByteBuffer slot = ByteBuffer.wrap(bytes, which * SLOT_BYTES, SLOT_BYTES).slice();
    boolean ours = slot.getLong() == magic;
    int written = slot.getInt();
    long of = slot.getLong();
    int size = slot.getInt();
    if (!ours || size < 0 || size > NOTE_BYTES_MAX) {
      return new Slot(0, null);
    }
    ByteBuffer note = slot.slice(HEADER_BYTES, size);
    return slot.getInt(HEADER_BYTES + size)
            == checksum(slot.duplicate().position(0).limit(HEADER_BYTES + size))
        ? new Slot(of, new Note(written, note))
        : new Slot(0, null);
  }

  /** Stores a note, from its position to its limit. On return it is on disk. */
  public void write(ByteBuffer note) {
    ByteBuffer content = note.slice();
    if (slots == null && !open()) {
      begin(content);
    } else {
      store(number + 1, content);
    }
    number++;
    put(home(number + 1), number, content);
  }

  /** False when there are no slots yet. */
  private boolean open() {
    byte[] bytes = exists() ? files.read(name) : new byte[0];
    if (bytes.length != FILE_BYTES) {
      return false;
    }
    Slot newest = newest(bytes);
    slots = files.map(name);
    number = newest.number();
    if (newest.note() != null) {
      if (slot(bytes, home(number)).number() != number) {
        log.warn("{} was damaged in part, and is mended; look after the disk", describe());
      }
      // The process before may have died, or its sync failed, before this was on disk.
      store(number, newest.note().content());
      files.forceDirectory();
    }
    return true;
  }

  private void begin(ByteBuffer content) {
    String unfinished = name + FileNames.UNFINISHED;
    slots = files.create(unfinished, FILE_BYTES);
    store(number + 1, content);
    files.rename(unfinished, name);
    files.forceDirectory();
  }

  private static int home(long number) {
    return (int) (number & 1);
  }

  private void store(long of, ByteBuffer content) {
    int at = home(of) * SLOT_BYTES;
    int bytes = HEADER_BYTES + content.remaining() + CHECKSUM_BYTES;
    put(home(of), of, content);
    slots.rewrite(at, bytes); // it may be what a failed sync has left
    slots.force(at, bytes);
  }

  private void put(int which, long of, ByteBuffer content) {
    ByteBuffer slot = ByteBuffer.allocate(HEADER_BYTES + content.remaining() + CHECKSUM_BYTES);
    slot.putLong(magic).putInt(version).putLong(of).putInt(content.remaining());
    slot.put(content.duplicate());
    slot.putInt(checksum(slot.duplicate().flip()));
    slots.buffer().put(which * SLOT_BYTES, slot.array());
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
