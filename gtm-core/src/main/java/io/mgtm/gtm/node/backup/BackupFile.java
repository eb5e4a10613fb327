package io.mgtm.gtm.node.backup;

import io.mgtm.group.LogException;
import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * A backup: a whole state at an entry of the log. {@code "MGTMBKUP" version:u16 index:i64 time:i64
 * length:i32 state crc32c:i32}, big-endian; the checksum covers all before it.
 */
public final class BackupFile {
  private static final long MAGIC = 0x4d47544d424b5550L;
  private static final short VERSION = 1;
  private static final int HEAD_BYTES = 8 + 2 + 8 + 8 + 4;
  private static final int PIECE_BYTES = 256 * 1024;

  /** It is no backup, or a damaged one; the message says what is wrong. */
  public static final class BadBackupException extends Exception {
    private static final long serialVersionUID = 1L;

    BadBackupException(String message) {
      super(message);
    }

    BadBackupException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The bytes of a backup, which are made or read as they are written. */
  @FunctionalInterface
  public interface Content {
    /**
     * Writes them, piece by piece. Any thread.
     *
     * @param pieces gets them in order; each is valid during the call only
     */
    void writeTo(Consumer<ByteBuffer> pieces);
  }

  /** Where a backup's bytes lie; throws UncheckedIOException. */
  private interface Source {
    ByteBuffer read(long at, int bytes);
  }

  private final Source source;
  private final long bytes;
  private final long index;
  private final long takenMicros;
  private final int identity;

  /** With which a GTM goes on that is given it. */
  private long nextGxid;

  private BackupFile(Source source, long bytes) throws BadBackupException {
    this.source = source;
    this.bytes = bytes;
    boolean hasHead = bytes >= HEAD_BYTES + Integer.BYTES;
    ByteBuffer head = source.read(0, hasHead ? HEAD_BYTES : 0);
    if (!hasHead || head.getLong() != MAGIC) {
      throw new BadBackupException("it is no backup of a GTM");
    }
    short version = head.getShort();
    if (version != VERSION) {
      throw new BadBackupException(
          "the backup has format version %d, this program knows up to %d"
              .formatted(version, VERSION));
    }
    index = head.getLong();
    takenMicros = head.getLong();
    int length = head.getInt();
    CRC32C crc = new CRC32C();
    read(0, bytes - Integer.BYTES, crc::update);
    identity = (int) crc.getValue();
    if (source.read(bytes - Integer.BYTES, Integer.BYTES).getInt() != identity) {
      throw new BadBackupException("the backup is damaged: its checksum does not fit");
    }
    if (length != stateBytes()) {
      throw new BadBackupException("the backup is damaged: it has not the length that it says");
    }
  }

  private void read(long from, long to, Consumer<ByteBuffer> pieces) {
    for (long at = from; at < to; at += PIECE_BYTES) {
      pieces.accept(source.read(at, (int) Math.min(PIECE_BYTES, to - at)));
    }
  }

  /**
   * A backup of a state.
   *
   * @param index of the last entry that it holds; 0 for an import
   * @param takenMicros when it was taken, µs since 2000-01-01
   * @param state small: all of it is kept here
   */
  public static BackupFile of(long index, long takenMicros, GtmState state) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    write(
        index,
        takenMicros,
        pieces -> CheckpointEncoder.write(state, pieces),
        piece -> whole.write(piece.array(), piece.arrayOffset(), piece.remaining()));
    try {
      return decode(whole.toByteArray());
    } catch (BadBackupException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ByteBuffer head(long index, long takenMicros, int length) {
    ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
    head.putLong(MAGIC).putShort(VERSION).putLong(index).putLong(takenMicros).putInt(length);
    return head.flip();
  }

  /**
   * Writes a backup of a picture, piece by piece; the picture is encoded twice, for its length
   * comes first. Any thread.
   *
   * @param pieces gets them in order; each is valid during the call only
   */
  public static void write(
      long index, long takenMicros, StatePicture state, Consumer<ByteBuffer> pieces) {
    long[] length = {0};
    state.writeTo(piece -> length[0] += piece.remaining());
    CRC32C crc = new CRC32C();
    Consumer<ByteBuffer> sealing =
        piece -> {
          crc.update(piece.duplicate());
          pieces.accept(piece);
        };
    sealing.accept(head(index, takenMicros, Math.toIntExact(length[0])));
    state.writeTo(sealing);
    pieces.accept(ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).flip());
  }

  /** The last entry of the log that it holds. */
  public long index() {
    return index;
  }

  /** Whether it is what another GTM left when it was stopped: nothing was handed out behind it. */
  boolean isImport() {
    return index == 0;
  }

  /** When it was taken, µs since 2000-01-01. */
  public long takenMicros() {
    return takenMicros;
  }

  /** How many bytes the file has. */
  public long bytes() {
    return bytes;
  }

  /**
   * The same with gxids and sequence values behind the reserved marks, and gxids further still: for
   * a cluster that went on after the backup was taken. Every member of a group must be given the
   * same.
   *
   * @throws BadBackupException when no gxids would be left
   */
  public Content skipping(long gxids) throws BadBackupException {
    GtmState skipped = decoder().end();
    if (!skipped.started()) {
      throw new BadBackupException("the backup is of a GTM whose gxids had not begun");
    }
    Limits none = Limits.NONE;
    skipped.setLimits(
        new Limits(
            none.transactionsMax(),
            none.snapshotGxidsMax(),
            none.sequencesMax(),
            none.nodesMax(),
            0,
            0));
    skipped.beginEntry(skipped.changedMicros());
    skipped.apply(new SessionCommand.SkipAhead(gxids));
    if (skipped.gxidsUntilStop() <= 0) {
      throw new BadBackupException(
          "%d gxids more would pass the place where they wrap".formatted(gxids));
    }
    return pieces ->
        write(index, takenMicros, state -> CheckpointEncoder.write(skipped, state), pieces);
  }

  /** Writes the file's bytes, as {@link Content} says. */
  public void writeTo(Consumer<ByteBuffer> pieces) {
    read(0, bytes, pieces);
  }

  /**
   * Looks at a file, and tries the state in it; its bytes stay where they are.
   *
   * @throws BadBackupException when it is no backup that this version can restore
   * @throws IOException when there is no such file, or it cannot be read
   */
  public static BackupFile open(Path file) throws IOException, BadBackupException {
    long bytes = Files.size(file);
    try {
      return new BackupFile((at, length) -> readFile(file, at, length), bytes).tried();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static ByteBuffer readFile(Path file, long at, int bytes) {
    ByteBuffer read = ByteBuffer.allocate(bytes);
    try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
      while (read.hasRemaining()) {
        if (from.read(read, at + read.position()) < 0) {
          throw new EOFException(file + " has become shorter while it was read");
        }
      }
      return read.flip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The same with a file's bytes.
   *
   * @throws BadBackupException when they are no backup that this version can restore
   */
  public static BackupFile decode(byte[] file) throws BadBackupException {
    ByteBuffer whole = ByteBuffer.wrap(file);
    return new BackupFile((at, length) -> whole.slice((int) at, length), file.length).tried();
  }

  private BackupFile tried() throws BadBackupException {
    try {
      GtmState begun = decoder().end();
      begun.beginEntry(begun.changedMicros());
      begun.apply(new SessionCommand.Restart(isImport()));
      nextGxid = begun.counts().nextGxid();
      return this;
    } catch (CheckpointDecoder.UnknownVersionException
        | CheckpointDecoder.CorruptCheckpointException e) {
      throw new BadBackupException(e.getMessage(), e);
    }
  }

  private CheckpointDecoder decoder() {
    CheckpointDecoder decoder = new CheckpointDecoder();
    read(HEAD_BYTES, bytes - Integer.BYTES, decoder::add);
    return decoder;
  }

  /** Tells this backup from others. */
  public int identity() {
    return identity;
  }

  /** Which one it is and with what gxid a GTM goes on that is given it. */
  public String inWords() {
    return "%s %08x of entry %d, next gxid %d"
        .formatted(isImport() ? "import" : "backup", identity, index, nextGxid);
  }

  public int stateBytes() {
    return Math.toIntExact(bytes - HEAD_BYTES - Integer.BYTES);
  }

  /**
   * Some bytes of the state.
   *
   * @throws LogException with IO when the file cannot be read any more
   */
  public ByteBuffer state(int from, int length) {
    try {
      return source.read(HEAD_BYTES + (long) from, length);
    } catch (UncheckedIOException e) {
      throw new LogException(
          LogException.Category.IO,
          "the backup that is being restored cannot be read: " + e.getCause().getMessage(),
          e);
    }
  }
}
