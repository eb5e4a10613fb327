package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A checkpoint on disk, which is written and read piece by piece.
 *
 * <pre>
 *  0       8         12    16      24     32              48
 *  | magic | version | 0   | index | term | member's UUID | crc32c of the header | piece… | end |
 *  piece: | bytes:i32 | crc32c:i32 | bytes |
 *  end:   | 0:i32 | crc32c of all content:i32 | bytes of all content:i64 | crc32c of the end:i32 |
 * </pre>
 *
 * Little-endian. Every piece but the last has 256 KiB, so that a place in the content can be found.
 * Version 1, which is read too, had the content's length as an i64 at 48, the content in one, and a
 * checksum of all before it.
 *
 * @param index the last entry that it holds
 * @param bytes of its content
 * @param crc the checksum of its content
 */
public record CheckpointFile(
    StorageFiles files, String name, int version, long index, long term, long bytes, int crc) {
  /** What a piece has. */
  static final int PIECE_BYTES = 256 << 10;

  private static final long MAGIC = 0x31544B434D54474DL; // "MGTMCKT1"
  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 52;
  private static final int PIECE_HEADER_BYTES = 8;
  private static final int END_BYTES = 20;
  private static final int OLD_HEADER_BYTES = 56;
  private static final int OLD_CHECKSUM_BYTES = 4;
  private static final int CRC_AT = 48;

  /**
   * Looks at a file and reads all of it once.
   *
   * @return empty when it is damaged
   * @throws LogException with FORMAT when a newer version wrote it, CORRUPT when it is another one
   *     than its name says
   */
  static Optional<CheckpointFile> open(
      StorageFiles files, String name, long index, long term, UUID member) {
    ByteBuffer header = read(files, name, 0, OLD_HEADER_BYTES);
    if (header.capacity() < HEADER_BYTES || header.getLong(0) != MAGIC) {
      return Optional.empty();
    }
    int version = header.getInt(8);
    boolean sealed = header.getInt(CRC_AT) == checksum(header, 0, CRC_AT);
    Optional<CheckpointFile> found;
    if (sealed && version == VERSION) {
      found = new CheckpointFile(files, name, version, index, term, 0, 0).verified();
    } else {
      found = openOld(files, name, index, term, sealed);
    }
    if (found.isPresent()
        && (header.getLong(16) != index
            || header.getLong(24) != term
            || header.getLong(32) != member.getMostSignificantBits()
            || header.getLong(40) != member.getLeastSignificantBits())) {
      throw LogException.damaged(
          "%s is not the checkpoint that was written here: files were mixed up"
              .formatted(files.describe(name)));
    }
    return found;
  }

  /** Reads through all pieces. */
  private Optional<CheckpointFile> verified() {
    CRC32C all = new CRC32C();
    long bytes = 0;
    for (long at = HEADER_BYTES; ; ) {
      ByteBuffer head = read(files, name, at, END_BYTES);
      if (head.capacity() < END_BYTES) {
        return Optional.empty();
      }
      int length = head.getInt(0);
      if (length == 0) {
        boolean sound =
            head.getInt(4) == (int) all.getValue()
                && head.getLong(8) == bytes
                && head.getInt(16) == checksum(head, 0, 16)
                && files.read(name, at + END_BYTES, 1).length == 0;
        return sound
            ? Optional.of(
                new CheckpointFile(files, name, version, index, term, bytes, head.getInt(4)))
            : Optional.empty();
      }
      boolean aligned = bytes % PIECE_BYTES == 0 && length > 0 && length <= PIECE_BYTES;
      byte[] piece = aligned ? files.read(name, at + PIECE_HEADER_BYTES, length) : new byte[0];
      if (piece.length != length || checksum(ByteBuffer.wrap(piece), 0, length) != head.getInt(4)) {
        return Optional.empty();
      }
      all.update(piece);
      bytes += length;
      at += PIECE_HEADER_BYTES + length;
    }
  }

  private static Optional<CheckpointFile> openOld(
      StorageFiles files, String name, long index, long term, boolean sealed) {
    ByteBuffer content = ByteBuffer.wrap(files.read(name)).order(ByteOrder.LITTLE_ENDIAN);
    int checksumAt = content.capacity() - OLD_CHECKSUM_BYTES;
    boolean whole =
        checksumAt >= OLD_HEADER_BYTES
            && content.getInt(checksumAt) == checksum(content, 0, checksumAt);
    int version = content.getInt(8);
    if ((sealed || whole) && version != 1) {
      throw new LogException(
          Category.FORMAT,
          "%s has checkpoint version %d and this program reads up to version %d; start the newer program"
              .formatted(files.describe(name), version, VERSION));
    }
    int bytes = checksumAt - OLD_HEADER_BYTES;
    if (!whole || content.getLong(48) != bytes) {
      return Optional.empty();
    }
    int crc = checksum(content, OLD_HEADER_BYTES, bytes);
    return Optional.of(new CheckpointFile(files, name, version, index, term, bytes, crc));
  }

  /**
   * Some of the content.
   *
   * @return up to {@code bytesMax}, to the end of a piece at most
   * @throws LogException with CORRUPT when the disk has damaged it, or IO when it is gone
   */
  public ByteBuffer read(long offset, int bytesMax) {
    if (version == 1) {
      int left = (int) Math.min(bytesMax, bytes - offset);
      return ByteBuffer.wrap(files.read(name, OLD_HEADER_BYTES + offset, left));
    }
    long number = offset / PIECE_BYTES;
    int from = (int) (offset % PIECE_BYTES);
    int length = (int) Math.min(PIECE_BYTES, bytes - number * PIECE_BYTES);
    long at = HEADER_BYTES + number * (PIECE_HEADER_BYTES + PIECE_BYTES);
    ByteBuffer piece = read(files, name, at, PIECE_HEADER_BYTES + length);
    if (length > 0
        && (piece.capacity() != PIECE_HEADER_BYTES + length
            || piece.getInt(4) != checksum(piece, PIECE_HEADER_BYTES, length))) {
      throw new LogException(
          Category.CORRUPT,
          "%s has changed since it was written: its piece at %d is damaged; look at the disk"
              .formatted(files.describe(name), offset));
    }
    return piece.slice(
        Math.min(piece.capacity(), PIECE_HEADER_BYTES + from),
        Math.max(0, Math.min(bytesMax, length - from)));
  }

  /** The same under another name. */
  CheckpointFile as(String otherName) {
    return new CheckpointFile(files, otherName, version, index, term, bytes, crc);
  }

  /** The content, from its beginning to its end. */
  public Pieces content() {
    long[] at = {0};
    return new Pieces(
        () -> {
          if (at[0] == bytes) {
            return null;
          }
          ByteBuffer next = read(at[0], PIECE_BYTES);
          at[0] += next.remaining();
          return next;
        });
  }

  private static ByteBuffer read(StorageFiles files, String name, long at, int bytes) {
    return ByteBuffer.wrap(files.read(name, at, bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int checksum(ByteBuffer content, int from, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(content.slice(from, bytes));
    return (int) crc.getValue();
  }

  /** Writes such a file. */
  static final class Writer {
    private final StorageFiles files;
    private final String unfinished;
    private final long index;
    private final long term;
    private final CRC32C all = new CRC32C();
    private final ByteBuffer piece =
        ByteBuffer.allocate(PIECE_HEADER_BYTES + PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long bytes;

    Writer(StorageFiles files, String unfinished, long index, long term, UUID member) {
      this.files = files;
      this.unfinished = unfinished;
      this.index = index;
      this.term = term;
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      header.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(index).putLong(term);
      header.putLong(member.getMostSignificantBits()).putLong(member.getLeastSignificantBits());
      header.putInt(checksum(header, 0, CRC_AT));
      files.append(unfinished, header.flip());
      piece.position(PIECE_HEADER_BYTES);
    }

    void add(ByteBuffer content) {
      while (content.hasRemaining()) {
        int fits = Math.min(piece.remaining(), content.remaining());
        piece.put(content.slice(content.position(), fits));
        content.position(content.position() + fits);
        if (!piece.hasRemaining()) {
          flush();
        }
      }
    }

    private void flush() {
      int length = piece.position() - PIECE_HEADER_BYTES;
      if (length > 0) {
        piece.putInt(0, length);
        piece.putInt(4, checksum(piece, PIECE_HEADER_BYTES, length));
        all.update(piece.slice(PIECE_HEADER_BYTES, length));
        bytes += length;
        files.append(unfinished, piece.flip());
        piece.clear().position(PIECE_HEADER_BYTES);
      }
    }

    /** Writes the end; the file will have a name. */
    CheckpointFile finish(String name) {
      flush();
      int crc = (int) all.getValue();
      ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      end.putInt(0).putInt(crc).putLong(bytes);
      end.putInt(checksum(end, 0, END_BYTES - Integer.BYTES));
      files.append(unfinished, end.flip());
      return new CheckpointFile(files, name, VERSION, index, term, bytes, crc);
    }
  }
}
