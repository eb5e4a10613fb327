package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.PositionLog;
import io.mgtm.group.storage.StorageFiles;
import io.mgtm.group.storage.VoteFile;
import java.nio.ByteBuffer;

/**
 * The log of a witness: one position, in the file {@code witness}.
 *
 * <pre>
 * | index:i64 | term:i64 | membership |
 * </pre>
 *
 * Big-endian, in a {@link VoteFile}, since version 2 one with slots. The file is what makes a
 * folder that of a witness. Owner thread.
 */
final class WitnessDisk extends PositionLog {
  private static final String NAME = "witness";
  private static final long MAGIC = 0x4D47544D57495453L; // "MGTMWITS"
  private static final int VERSION = 2;

  private final VoteFile file;

  private WitnessDisk(VoteFile file, Checkpoint position) {
    super(position);
    this.file = file;
  }

  private static VoteFile file(StorageFiles files) {
    return new VoteFile(files, NAME, MAGIC, VERSION);
  }

  /**
   * Opens the folder of a witness, or begins one.
   *
   * @throws LogException with FORMAT when it holds what a witness has not, with CORRUPT when what
   *     must not be forgotten is missing
   */
  static WitnessDisk open(StorageFiles files) {
    boolean hasTerm = TermStore.isIn(files);
    if (!isIn(files)) {
      if (hasTerm) {
        throw new LogException(
            Category.FORMAT,
            "%s is missing beside a term, so the folder is that of a member that keeps data; the witness begins with an empty folder, or set group.witness to another name"
                .formatted(files.describe(NAME)));
      }
      if (files.holdLog()) {
        throw new LogException(
            Category.FORMAT,
            "%s holds a log, and a witness has none; choose an empty folder"
                .formatted(files.describe("")));
      }
      WitnessDisk begun = new WitnessDisk(file(files), BEGINNING);
      begun.install(BEGINNING);
      return begun;
    }
    VoteFile file = file(files);
    WitnessDisk found = new WitnessDisk(file, read(file));
    if (!hasTerm && found.lastIndex() > 0) {
      throw new LogException(
          Category.CORRUPT,
          "The term is missing beside %s, and without it this member could vote twice; start it with an empty folder, it joins again"
              .formatted(files.describe(NAME)));
    }
    return found;
  }

  /** Whether a folder is that of a witness. */
  static boolean isIn(StorageFiles files) {
    return file(files).exists();
  }

  /**
   * For a member that keeps data.
   *
   * @throws LogException with FORMAT when the folder is that of a witness
   */
  static void refuseIn(StorageFiles files) {
    if (isIn(files)) {
      throw new LogException(
          Category.FORMAT,
          "%s shows the folder of a witness, which has no data; set group.witness to this member's name, or choose an empty folder"
              .formatted(files.describe(NAME)));
    }
  }

  private static Checkpoint read(VoteFile file) {
    ByteBuffer from = file.read(2 * Long.BYTES).content();
    long index = from.getLong();
    long term = from.getLong();
    return Checkpoint.position(index, term, Membership.decode(from));
  }

  /** The membership that came with the position. */
  Membership membership() {
    return position().membership();
  }

  @Override
  protected void store(Checkpoint next) {
    ByteBuffer to = ByteBuffer.allocate(VoteFile.NOTE_BYTES_MAX);
    to.putLong(next.index()).putLong(next.term()).put(next.membership().encoded());
    file.write(to.flip());
  }
}
