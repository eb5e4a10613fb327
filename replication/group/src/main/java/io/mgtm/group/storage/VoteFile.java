package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A file of a member's promises, its vote among them, that is replaced as a whole.
 *
 * <pre>
 * | magic:i64 | version:i32 | what the member notes | crc32c:i32 |
 * </pre>
 *
 * Big-endian; the checksum covers all before it.
 *
 * @param version the one that is written
 * @param oldest the first of the versions that are read
 */
public record VoteFile(String name, long magic, int version, int oldest) {
  private static final int HEADER_BYTES = 8 + 4;

  private static final int CHECKSUM_BYTES = 4;

  /** A file of which only one version is read. */
  public VoteFile(String name, long magic, int version) {
    this(name, magic, version, version);
  }

  /** The version of what {@link #read} gave. */
  public static int versionOf(ByteBuffer content) {
    return content.getInt(Long.BYTES);
  }

  /** Whether a folder has it. */
  public boolean isIn(StorageFiles files) {
    return files.list().contains(name);
  }

  /**
   * Reads what the member noted.
   *
   * @param bytesMin what that takes at the least
   * @return the content, at the first byte that is not the header's
   * @throws LogException with CORRUPT when the file is damaged, with FORMAT when a newer version
   *     wrote it
   */
  public ByteBuffer read(StorageFiles files, int bytesMin) {
    byte[] content = files.read(name);
    ByteBuffer from = ByteBuffer.wrap(content);
    int checksumAt = content.length - CHECKSUM_BYTES;
    if (checksumAt < HEADER_BYTES + bytesMin
        || from.getLong() != magic
        || from.getInt(checksumAt) != checksum(ByteBuffer.wrap(content, 0, checksumAt))) {
      throw new LogException(
          Category.CORRUPT,
          "%s is damaged, and without it this member could vote twice; start it with an empty folder, it joins again"
              .formatted(files.describe(name)));
    }
    int found = from.getInt();
    if (found < oldest || found > version) {
      throw new LogException(
          Category.FORMAT,
          "%s has version %d and this program reads %d to %d; start the newer program"
              .formatted(files.describe(name), found, oldest, version));
    }
    return from;
  }

  /** Room for so many bytes that the member notes, behind the header. */
  public ByteBuffer begin(int bytesMax) {
    return ByteBuffer.allocate(HEADER_BYTES + bytesMax + CHECKSUM_BYTES)
        .putLong(magic)
        .putInt(version);
  }

  /** Writes what {@link #begin} gave, up to its position. On return it is on disk. */
  public void replace(StorageFiles files, ByteBuffer content) {
    content.putInt(checksum(content.duplicate().flip()));
    byte[] bytes = new byte[content.flip().remaining()];
    content.get(bytes);
    String unfinished = name + FileNames.UNFINISHED;
    files.write(unfinished, bytes);
    files.force(unfinished);
    files.rename(unfinished, name);
    files.forceDirectory();
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
