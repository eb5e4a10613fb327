package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a state machine as files; the last two are kept.
 *
 * <pre>
 *  0       8         12    16      24     32              48             56
 *  | magic | version | 0   | index | term | member's UUID | state's bytes | state | crc32c |
 * </pre>
 *
 * Little-endian; the checksum covers all before it. A file's name carries index and term. Its
 * content and name are on disk before {@link #save} returns, and it has its final name only once
 * its content is. Used by one thread at a time.
 */
public final class CheckpointStore {
  private static final Logger log = LoggerFactory.getLogger(CheckpointStore.class);
  private static final long MAGIC = 0x31544B434D54474DL; // "MGTMCKT1"
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 56;
  private static final int CHECKSUM_BYTES = 4;
  private static final int KEPT = 2;
  private static final String PREFIX = "checkpoint-";

  private final StorageFiles files;
  private final UUID member;

  /** Known to be sound, or not looked at yet; the newest first. */
  private final List<Name> names = new ArrayList<>();

  /** A checkpoint as it was read. */
  public record Checkpoint(long index, long term, ByteBuffer state) {}

  private record Name(String file, long index, long term) {
    static final Comparator<Name> NEWEST_FIRST =
        Comparator.comparingLong(Name::index).thenComparingLong(Name::term).reversed();

    static Name of(long index, long term) {
      return new Name(PREFIX + FileNames.digits(index) + "-" + FileNames.digits(term), index, term);
    }

    static Optional<Name> parse(String file) {
      int termAt = PREFIX.length() + FileNames.DIGITS + 1;
      if (!file.startsWith(PREFIX) || file.length() != termAt + FileNames.DIGITS) {
        return Optional.empty();
      }
      OptionalLong index = FileNames.number(file.substring(PREFIX.length(), termAt - 1));
      OptionalLong term = FileNames.number(file.substring(termAt));
      return index.isPresent() && term.isPresent()
          ? Optional.of(new Name(file, index.getAsLong(), term.getAsLong()))
          : Optional.empty();
    }
  }

  /** Finds the checkpoints of a folder; reads none yet. */
  public CheckpointStore(StorageFiles files, UUID member) {
    this.files = files;
    this.member = member;
    files.list().forEach(file -> Name.parse(file).ifPresent(names::add));
    names.sort(Name.NEWEST_FIRST);
  }

  /** The index of the newest checkpoint by its name, 0 when there is none. */
  public long newestIndex() {
    return names.isEmpty() ? 0 : names.get(0).index();
  }

  /** The index of the one before the newest, 0 when there is none. */
  public long previousIndex() {
    return names.size() < 2 ? 0 : names.get(1).index();
  }

  /**
   * Reads the newest sound checkpoint.
   *
   * @param logFirstIndex the lowest index that the log reaches back to
   * @return empty when there is none and the log holds everything
   * @throws LogException with CORRUPT when the log does not reach back to any sound checkpoint, or
   *     FORMAT when a newer version wrote it
   */
  public Optional<Checkpoint> load(long logFirstIndex) {
    List<String> damaged = new ArrayList<>();
    while (!names.isEmpty()) {
      Name name = names.get(0);
      Optional<Checkpoint> checkpoint = read(name);
      if (checkpoint.isPresent()) {
        if (name.index() + 1 < logFirstIndex) {
          break;
        }
        return checkpoint;
      }
      log.warn(
          "{} is damaged; an older checkpoint and the log take its place",
          files.describe(name.file()));
      damaged.add(files.describe(name.file()));
      names.remove(0);
    }
    if (logFirstIndex > 1) {
      throw new LogException(
          Category.CORRUPT,
          ("The log begins at index %d and no sound checkpoint reaches up to it (damaged: %s);"
                  + " restore the folder from a backup or from another member")
              .formatted(logFirstIndex, damaged.isEmpty() ? "none" : String.join(", ", damaged)));
    }
    return Optional.empty();
  }

  private Optional<Checkpoint> read(Name name) {
    String place = files.describe(name.file());
    ByteBuffer content = ByteBuffer.wrap(files.read(name.file())).order(ByteOrder.LITTLE_ENDIAN);
    int checksumAt = content.capacity() - CHECKSUM_BYTES;
    if (checksumAt < HEADER_BYTES
        || content.getLong(0) != MAGIC
        || content.getInt(checksumAt) != checksum(content.array(), checksumAt)) {
      return Optional.empty();
    }
    if (content.getInt(8) != VERSION) {
      throw new LogException(
          Category.FORMAT,
          "%s has checkpoint version %d and this program reads version %d; start the newer program"
              .formatted(place, content.getInt(8), VERSION));
    }
    if (content.getLong(16) != name.index()
        || content.getLong(24) != name.term()
        || content.getLong(32) != member.getMostSignificantBits()
        || content.getLong(40) != member.getLeastSignificantBits()
        || content.getLong(48) != checksumAt - HEADER_BYTES) {
      throw new LogException(
          Category.CORRUPT,
          "%s is not the checkpoint that was written here: files were mixed up; restore the folder from a backup or from another member"
              .formatted(place));
    }
    ByteBuffer state = content.slice(HEADER_BYTES, checksumAt - HEADER_BYTES);
    return Optional.of(new Checkpoint(name.index(), name.term(), state));
  }

  /**
   * Writes a checkpoint of the state after {@code index}, which the log must have on disk, and
   * removes all but the last two. On return it is on disk.
   *
   * @throws LogException when the system refuses; the older checkpoints are as they were
   */
  public void save(long index, long term, byte[] state) {
    Name name = Name.of(index, term);
    byte[] content = new byte[Math.addExact(HEADER_BYTES + CHECKSUM_BYTES, state.length)];
    ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(0, MAGIC);
    buffer.putInt(8, VERSION);
    buffer.putLong(16, index);
    buffer.putLong(24, term);
    buffer.putLong(32, member.getMostSignificantBits());
    buffer.putLong(40, member.getLeastSignificantBits());
    buffer.putLong(48, state.length);
    buffer.put(HEADER_BYTES, state);
    int checksumAt = content.length - CHECKSUM_BYTES;
    buffer.putInt(checksumAt, checksum(content, checksumAt));
    String unfinished = name.file() + FileNames.UNFINISHED;
    try {
      files.write(unfinished, content);
      files.force(unfinished);
      files.rename(unfinished, name.file());
      files.forceDirectory();
    } catch (LogException e) {
      removeQuietly(unfinished, e);
      throw e;
    }
    names.remove(name);
    names.add(name);
    names.sort(Name.NEWEST_FIRST);
    removeOld();
  }

  private void removeQuietly(String file, LogException cause) {
    try {
      files.delete(file);
    } catch (LogException e) {
      cause.addSuppressed(e);
    }
  }

  /** What cannot be removed now is removed after the next checkpoint. */
  private void removeOld() {
    names.subList(Math.min(KEPT, names.size()), names.size()).clear();
    try {
      for (String file : files.list()) {
        Optional<Name> found = Name.parse(file);
        if (found.isPresent() && !names.contains(found.get())) {
          files.delete(file);
        }
      }
    } catch (LogException e) {
      log.warn("Old checkpoints are kept until the next one: {}", e.getMessage());
    }
  }

  private static int checksum(byte[] content, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, bytes);
    return (int) crc.getValue();
  }
}
