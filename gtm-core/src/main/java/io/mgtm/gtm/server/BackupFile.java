package io.mgtm.gtm.server;

import io.mgtm.group.StatePicture;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import java.nio.ByteBuffer;
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

  private final long index;
  private final long takenMicros;
  private final byte[] state;
  private final int identity;

  /**
   * A backup.
   *
   * @param index of the last entry that it holds; 0 for an import
   * @param takenMicros when it was taken, µs since 2000-01-01
   * @param state as checkpoints hold it
   */
  BackupFile(long index, long takenMicros, byte[] state) {
    this.index = index;
    this.takenMicros = takenMicros;
    this.state = state.clone();
    this.identity = sealed();
  }

  private int sealed() {
    CRC32C crc = new CRC32C();
    crc.update(head(index, takenMicros, state.length));
    crc.update(state);
    return (int) crc.getValue();
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
  static void write(long index, long takenMicros, StatePicture state, Consumer<ByteBuffer> pieces) {
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

  /** The state as checkpoints hold it. */
  public byte[] state() {
    return state.clone();
  }

  /**
   * The same with gxids and sequence values behind the reserved marks, and gxids further still: for
   * a cluster that went on after the backup was taken. Every member of a group must be given the
   * same.
   *
   * @throws BadBackupException when no gxids would be left
   */
  public BackupFile skipping(long gxids) throws BadBackupException {
    GtmState skipped = CheckpointDecoder.decode(ByteBuffer.wrap(state));
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
    return new BackupFile(index, takenMicros, CheckpointEncoder.encode(skipped));
  }

  /** The file's bytes. */
  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + state.length + Integer.BYTES);
    return out.put(head(index, takenMicros, state.length)).put(state).putInt(identity).array();
  }

  /**
   * Reads a file's bytes, and tries the state in it.
   *
   * @throws BadBackupException when they are no backup that this version can restore
   */
  public static BackupFile decode(byte[] bytes) throws BadBackupException {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < HEAD_BYTES + Integer.BYTES || in.getLong() != MAGIC) {
      throw new BadBackupException("it is no backup of a GTM");
    }
    short version = in.getShort();
    if (version != VERSION) {
      throw new BadBackupException(
          "the backup has format version %d, this program knows up to %d"
              .formatted(version, VERSION));
    }
    int checksumAt = bytes.length - Integer.BYTES;
    if (in.getInt(checksumAt) != checksum(bytes, checksumAt)) {
      throw new BadBackupException("the backup is damaged: its checksum does not fit");
    }
    long index = in.getLong();
    long takenMicros = in.getLong();
    int length = in.getInt();
    if (length != checksumAt - HEAD_BYTES) {
      throw new BadBackupException("the backup is damaged: it has not the length that it says");
    }
    byte[] state = new byte[length];
    in.get(state);
    try {
      CheckpointDecoder.decode(ByteBuffer.wrap(state));
    } catch (CheckpointDecoder.UnknownVersionException
        | CheckpointDecoder.CorruptCheckpointException e) {
      throw new BadBackupException(e.getMessage(), e);
    }
    return new BackupFile(index, takenMicros, state);
  }

  /** Tells this backup from others. */
  int identity() {
    return identity;
  }

  /** How many bytes the state has. */
  int stateBytes() {
    return state.length;
  }

  /** Some bytes of the state. */
  ByteBuffer state(int from, int bytes) {
    return ByteBuffer.wrap(state, from, bytes).asReadOnlyBuffer();
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
