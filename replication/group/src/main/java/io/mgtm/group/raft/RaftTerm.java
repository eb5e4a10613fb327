package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.StorageFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jgroups.Address;
import org.jgroups.util.Util;

/**
 * The file {@code raft-term}: what a member has promised.
 *
 * <pre>
 * | magic:i64 | version:i32 | term:i64 | settled:u8 | vote's bytes:i32 | vote | crc32c:i32 |
 * </pre>
 *
 * Big-endian; the checksum covers all before it.
 *
 * @param term the highest that it has heard of; never lowered
 * @param vote whom it let decide in that term, null for nobody
 * @param settled whether it has all that a former folder of its name may have had, so that it may
 *     vote
 */
record RaftTerm(long term, Address vote, boolean settled) {
  static final String NAME = "raft-term";
  private static final String UNFINISHED = NAME + ".tmp";
  private static final long MAGIC = 0x4D47544D52414654L; // "MGTMRAFT"
  private static final int VERSION = 1;
  private static final int FIXED_BYTES = 8 + 4 + 8 + 1 + 4;

  static RaftTerm fresh() {
    return new RaftTerm(0, null, false);
  }

  /**
   * Reads the file.
   *
   * @throws LogException with CORRUPT when it is missing beside a log, or damaged: the member could
   *     vote twice without it; with FORMAT when a newer version wrote it
   */
  static RaftTerm load(StorageFiles files, boolean isThereALog) {
    if (!files.list().contains(NAME)) {
      if (isThereALog) {
        throw new LogException(
            Category.CORRUPT,
            "%s is missing beside a log, so the log is not one of mode raft; choose another folder"
                .formatted(files.describe(NAME)));
      }
      return fresh();
    }
    byte[] content = files.read(NAME);
    ByteBuffer from = ByteBuffer.wrap(content);
    int checksumAt = content.length - 4;
    if (checksumAt < FIXED_BYTES
        || from.getLong() != MAGIC
        || from.getInt(checksumAt) != checksum(content, checksumAt)) {
      throw new LogException(
          Category.CORRUPT,
          "%s is damaged, and without it this member could vote twice; start it with an empty folder, it joins again"
              .formatted(files.describe(NAME)));
    }
    int version = from.getInt();
    if (version != VERSION) {
      throw new LogException(
          Category.FORMAT,
          "%s has version %d and this program reads version %d; start the newer program"
              .formatted(files.describe(NAME), version, VERSION));
    }
    long term = from.getLong();
    boolean settled = from.get() != 0;
    byte[] vote = new byte[from.getInt()];
    from.get(vote);
    return new RaftTerm(term, vote.length == 0 ? null : address(vote), settled);
  }

  /** On return it is on disk. */
  void save(StorageFiles files) {
    byte[] bytes = vote == null ? new byte[0] : bytes(vote);
    ByteBuffer to = ByteBuffer.allocate(FIXED_BYTES + bytes.length + 4);
    to.putLong(MAGIC).putInt(VERSION).putLong(term).put((byte) (settled ? 1 : 0));
    to.putInt(bytes.length).put(bytes);
    to.putInt(checksum(to.array(), to.position()));
    files.write(UNFINISHED, Arrays.copyOf(to.array(), to.position()));
    files.force(UNFINISHED);
    files.rename(UNFINISHED, NAME);
    files.forceDirectory();
  }

  private static byte[] bytes(Address address) {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    try {
      Util.writeAddress(address, new DataOutputStream(to));
    } catch (IOException e) {
      throw new IllegalStateException("an address cannot be written", e);
    }
    return to.toByteArray();
  }

  private static Address address(byte[] bytes) {
    try {
      return Util.readAddress(new DataInputStream(new ByteArrayInputStream(bytes)));
    } catch (IOException | ClassNotFoundException e) {
      throw new LogException(Category.FORMAT, "the vote in %s cannot be read".formatted(NAME), e);
    }
  }

  private static int checksum(byte[] content, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, bytes);
    return (int) crc.getValue();
  }
}
