package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.StorageFiles;
import io.mgtm.group.storage.VoteFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
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
  private static final long MAGIC = 0x4D47544D52414654L; // "MGTMRAFT"
  private static final VoteFile FILE = new VoteFile(NAME, MAGIC, 1);

  /** The term, whether it is settled, and the size of the vote. */
  private static final int FIXED_BYTES = 8 + 1 + 4;

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
    if (!FILE.isIn(files)) {
      if (isThereALog) {
        throw new LogException(
            Category.CORRUPT,
            "%s is missing beside a log, so the log is not one of mode raft; choose another folder"
                .formatted(files.describe(NAME)));
      }
      return fresh();
    }
    ByteBuffer from = FILE.read(files, FIXED_BYTES);
    long term = from.getLong();
    boolean settled = from.get() != 0;
    byte[] vote = new byte[from.getInt()];
    from.get(vote);
    return new RaftTerm(term, vote.length == 0 ? null : address(vote), settled);
  }

  /** On return it is on disk. */
  void save(StorageFiles files) {
    byte[] bytes = vote == null ? new byte[0] : bytes(vote);
    ByteBuffer to = FILE.begin(FIXED_BYTES + bytes.length);
    to.putLong(term).put((byte) (settled ? 1 : 0));
    to.putInt(bytes.length).put(bytes);
    FILE.replace(files, to);
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
}
