package io.mgtm.group.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Small files that each hold one number durably, or are absent.
 *
 * <pre>
 *  0        8           16          24        32       36
 *  | magic  | member's UUID (16)    | number  | crc32c |
 * </pre>
 *
 * Little-endian; the checksum covers what stands before it.
 */
final class MarkerFiles {
  /** Holds the last index of a log that was closed with everything forced. */
  static final String CLEAN = "clean";

  /** Holds the first index that a truncation under way removes. */
  static final String TRUNCATE = "truncate";

  private static final long MAGIC = 0x314B524D4D54474DL; // "MGTMMRK1"
  private static final int BYTES = 36;

  private final StorageFiles files;
  private final UUID member;

  MarkerFiles(StorageFiles files, UUID member) {
    this.files = files;
    this.member = member;
  }

  /** Whether there is such a file, sound or not. */
  boolean exists(String name) {
    return files.list().contains(name);
  }

  /** The number, or empty when the file is absent, damaged or another member's. */
  OptionalLong read(String name) {
    if (!exists(name)) {
      return OptionalLong.empty();
    }
    ByteBuffer content = ByteBuffer.wrap(files.read(name)).order(ByteOrder.LITTLE_ENDIAN);
    if (content.capacity() != BYTES
        || content.getLong(0) != MAGIC
        || content.getInt(BYTES - 4) != checksum(content)
        || content.getLong(8) != member.getMostSignificantBits()
        || content.getLong(16) != member.getLeastSignificantBits()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(content.getLong(24));
  }

  /** On return the marker is on disk. */
  void write(String name, long number) {
    ByteBuffer content = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    content.putLong(0, MAGIC);
    content.putLong(8, member.getMostSignificantBits());
    content.putLong(16, member.getLeastSignificantBits());
    content.putLong(24, number);
    content.putInt(BYTES - 4, checksum(content));
    String unfinished = name + FileNames.UNFINISHED;
    files.write(unfinished, content.array());
    files.force(unfinished);
    files.rename(unfinished, name);
    files.forceDirectory();
  }

  /** On return no crash can bring the marker back. */
  void remove(String name) {
    files.delete(name);
    files.forceDirectory();
  }

  private static int checksum(ByteBuffer content) {
    CRC32C crc = new CRC32C();
    crc.update(content.slice(0, BYTES - 4));
    return (int) crc.getValue();
  }
}
