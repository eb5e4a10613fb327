package io.mgtm.gtm.node.backup;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Restoring;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Restores a backup: it is put into a new data folder, and the first leader of the new group writes
 * it to the log, before anything else, in entries of their own: {@code version:u8=2 time:i64
 * identity:i32 part:i32 last:u8 bytes}. So every member gets it in the ordinary way. {@code last}
 * is 0 for a piece that another follows, else 1, or 2 for an import.
 *
 * <p>An interrupted restore begins again with part 0. Clients of the time of the backup are gone,
 * and gxids and values go on behind the reserved marks; those of an import go on where they were.
 */
public final class Restore {
  /** The version byte of the log's entries that hold pieces of a backup. */
  public static final byte ENTRY_VERSION = 2;

  private static final String FILE = "restore";
  private static final String UNFINISHED = FILE + ".tmp";
  private static final byte NOT_LAST = 0;
  private static final byte LAST = 1;
  private static final byte LAST_OF_IMPORT = 2;
  private static final int PIECE_BYTES = 128 * 1024;
  private static final int HEAD_BYTES = 1 + Long.BYTES + 2 * Integer.BYTES + 1;

  private Restore() {}

  /**
   * Puts a backup into a new data folder, for the next start.
   *
   * @throws IOException when the folder is not empty, or the backup cannot be read
   * @throws LogException when it cannot be written
   */
  public static void place(Path data, BackupFile.Content backup) throws IOException {
    if (Files.isDirectory(data)) {
      try (Stream<Path> files = Files.list(data)) {
        if (files.anyMatch(file -> !file.getFileName().toString().equals("lost+found"))) {
          throw new IOException(
              data
                  + " is not empty, and a backup or import fills a new folder only;"
                  + " choose another --data");
        }
      }
    }
    try (DataDirectory folder = DataDirectory.open(data)) {
      backup.writeTo(piece -> folder.files().append(UNFINISHED, piece));
      folder.files().force(UNFINISHED);
      folder.files().rename(UNFINISHED, FILE);
      folder.files().forceDirectory();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The backup that waits in a data folder, or null. */
  public static BackupFile pending(Path data) {
    Path file = data.resolve(FILE);
    if (!Files.exists(file)) {
      return null;
    }
    try {
      return BackupFile.open(file);
    } catch (IOException | BackupFile.BadBackupException e) {
      throw new LogException(
          Category.CORRUPT,
          "%s cannot be restored: %s; empty the folder and restore again"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /**
   * Whether the state is that of the backup; the other members' may come from another beginning.
   */
  public static boolean isDone(BackupFile backup, GtmState state, Path data) {
    if (!state.started()) {
      return false;
    }
    if (state.restoredFrom() != backup.identity()) {
      throw new LogException(
          Category.IN_USE,
          ("The %s in %s was not restored, for the group runs already and has another beginning, %s."
                  + " If the group is right, empty this member's folder alone and start it again;"
                  + " if the backup is, stop all members and restore it with the same options"
                  + " into an empty folder of each")
              .formatted(
                  backup.inWords(),
                  data,
                  state.restoredFrom() == 0
                      ? "without a backup"
                      : "the backup or import %08x".formatted(state.restoredFrom())));
    }
    return true;
  }

  /** It is in the log: the file is no longer needed. */
  public static void forget(Path data) {
    try {
      Files.deleteIfExists(data.resolve(FILE));
    } catch (IOException e) {
      throw new LogException(
          Category.ACCESS,
          "%s cannot be deleted: %s; delete it".formatted(data.resolve(FILE), e),
          e);
    }
  }

  /** How many entries a backup takes. */
  public static int parts(BackupFile backup) {
    return Math.max(1, (backup.stateBytes() + PIECE_BYTES - 1) / PIECE_BYTES);
  }

  /** One of the entries. */
  public static ByteBuffer entry(BackupFile backup, long micros, int part) {
    boolean last = part == parts(backup) - 1;
    int from = part * PIECE_BYTES;
    int length = Math.min(PIECE_BYTES, backup.stateBytes() - from);
    ByteBuffer entry = ByteBuffer.allocate(HEAD_BYTES + length);
    entry.put(ENTRY_VERSION).putLong(micros).putInt(backup.identity()).putInt(part);
    entry.put(last ? backup.isImport() ? LAST_OF_IMPORT : LAST : NOT_LAST);
    return entry.put(backup.state(from, length)).flip();
  }

  /** Whether an entry follows the bytes that have come already; the first one always does. */
  public static boolean fits(ByteBuffer entry, int bytesBefore) {
    entry.get();
    entry.getLong();
    entry.getInt();
    int part = entry.getInt();
    return part == 0 || part * PIECE_BYTES == bytesBefore;
  }

  /**
   * What a piece makes of a state.
   *
   * @param in behind the version and the time
   * @return the state to go on with
   */
  public static GtmState apply(GtmState state, long micros, ByteBuffer in) {
    int identity = in.getInt();
    int part = in.getInt();
    byte last = in.get();
    if (part == 0) {
      state.setRestoring(new Restoring());
    }
    byte[] piece = new byte[in.remaining()];
    in.get(piece);
    state.restoring().add(piece);
    if (last == NOT_LAST) {
      return state;
    }
    GtmState restored = state.restoring().end();
    restored.setRestoredFrom(identity);
    for (String member : List.copyOf(restored.memberAddresses().keySet())) {
      restored.apply(new SessionCommand.AnnounceMember(member, ""));
    }
    restored.beginEntry(Math.max(micros, restored.changedMicros()));
    restored.apply(new SessionCommand.Restart(last == LAST_OF_IMPORT));
    return restored;
  }
}
