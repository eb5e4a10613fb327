package io.mgtm.group.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.RecoveryReport;
import io.mgtm.group.storage.StorageFiles;
import io.mgtm.group.storage.VoteFile;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code term}: a {@link TermRecord}, and the boot of the machine that it was written in.
 *
 * <pre>
 * | term:i64 | incarnation:i64 | durabilityState:u8 | voted:u8 [member] |
 * | initial membership | founding:u128 | synced:u8 | bytes:u8 | boot id |
 * </pre>
 *
 * Big-endian, in a {@link VoteFile}, since version 4 one with slots. The founding is 0 for none;
 * version 1 does not have it. Before version 3 the byte told the durability that a member was
 * configured with, which proves nothing of what others sent. Version 5 is that of a node without a
 * group. Owner thread.
 */
final class TermStore {
  private static final Logger log = LoggerFactory.getLogger(TermStore.class);

  private static final String NAME = "term";

  /** What a member of mode raft, which earlier versions had, kept in place of this file. */
  private static final String RAFT_NAME = "raft-term";

  private static final long MAGIC = 0x4D47544D5445524DL; // "MGTMTERM"
  private static final int VERSION = 4;

  /** Of a node without a group, whose folder programs that do not know it must not take. */
  private static final int VERSION_ALONE = 5;

  private static final int FIRST_WITH_FOUNDING = 2;
  private static final int FIRST_WITH_SYNCED = 3;
  private static final UUID NO_FOUNDING = new UUID(0, 0);
  private static final int BOOT_BYTES_MAX = 255;

  private final StorageFiles files;
  private final VoteFile file;
  private final String boot;

  /** Of a node without a group: what stands for a file that is not there. Null in a group. */
  private final TermRecord ofAlone;

  /** What the file says. */
  record Stored(TermRecord record, String boot) {}

  /**
   * A store in a folder.
   *
   * @param boot tells this boot of the machine from others; empty when that cannot be told
   */
  TermStore(StorageFiles files, String boot) {
    this(files, boot, null);
  }

  /**
   * As above.
   *
   * @param ofAlone of a node without a group: what stands for a file that is missing or damaged,
   *     since nobody else counts on it; null in a group
   */
  TermStore(StorageFiles files, String boot, TermRecord ofAlone) {
    this.files = files;
    this.ofAlone = ofAlone;
    int version = ofAlone == null ? VERSION : VERSION_ALONE;
    this.file = new VoteFile(files, NAME, MAGIC, VERSION_ALONE, version);
    this.boot = boot.substring(0, Math.min(boot.length(), BOOT_BYTES_MAX));
  }

  /** Whether a folder has the file. */
  static boolean isIn(StorageFiles files) {
    return files.list().contains(NAME);
  }

  /**
   * Reads the file; empty when there is none.
   *
   * @throws LogException with CORRUPT when it is damaged: the member must not vote then, with
   *     FORMAT when a newer version wrote it, or when it is that of a member and this node is none,
   *     or the other way round
   */
  Optional<Stored> load() {
    if (!file.exists()) {
      return Optional.empty();
    }
    Optional<VoteFile.Note> read = ofAlone == null ? Optional.of(file.read(0)) : readAlone();
    if (read.isEmpty()) {
      return Optional.empty();
    }
    VoteFile.Note note = read.get();
    Stored stored = decoded(note);
    FolderName.check(files, stored.record().initial(), isAlone(note), folderOfAlone());
    return Optional.of(stored);
  }

  /**
   * What a start would make of a folder's record, which stays as it is; that of a node without a
   * group too.
   *
   * @param lastTerm of the folder's log
   * @throws LogException with CORRUPT when it is damaged, with FORMAT when this version has not
   *     written the log
   */
  static TermRecord atStart(
      StorageFiles files, String boot, RecoveryReport recovery, long lastTerm) {
    VoteFile.Note note = isIn(files) ? new TermStore(files, boot).file.read(0) : null;
    if (note == null || (isAlone(note) && lastTerm == FormerLog.TERM)) {
      throw new LogException(
          Category.FORMAT,
          "Nobody has gone on with the folder %s in this version; start and stop the node on it once"
              .formatted(files.describe("")));
    }
    Stored stored = decoded(note);
    boolean otherMemory = isAlone(note) || !BootId.isSame(stored.boot(), boot);
    return stored.record().started(unsyncedMayBeLost(recovery, otherMemory));
  }

  private static boolean isAlone(VoteFile.Note note) {
    return note.version() == VERSION_ALONE;
  }

  private static Stored decoded(VoteFile.Note note) {
    ByteBuffer from = note.content();
    long term = from.getLong();
    long incarnation = from.getLong();
    DurabilityState durabilityState = DurabilityState.of(from.get());
    MemberId voted = from.get() == 0 ? null : Membership.decodeMember(from);
    Membership initial = Membership.decode(from);
    UUID founding =
        note.version() < FIRST_WITH_FOUNDING
            ? NO_FOUNDING
            : new UUID(from.getLong(), from.getLong());
    boolean synced = from.get() != 0 && note.version() >= FIRST_WITH_SYNCED;
    byte[] bootBytes = new byte[Byte.toUnsignedInt(from.get())];
    from.get(bootBytes);
    return new Stored(
        new TermRecord(
            term,
            voted,
            incarnation,
            durabilityState,
            initial,
            founding.equals(NO_FOUNDING) ? null : founding,
            synced),
        new String(bootBytes, UTF_8));
  }

  /**
   * Reads or makes the record, and stores that of this start.
   *
   * @param recovery what was found of the log
   * @throws LogException with CORRUPT when there is a log and no record, with FORMAT when mode raft
   *     wrote the log
   */
  TermRecord begin(RecoveryReport recovery) {
    Optional<Stored> stored = load();
    refuseModeRaft(stored, recovery);
    if (ofAlone == null && stored.isEmpty() && recovery.lastIndex() > 0) {
      throw new LogException(
          Category.CORRUPT,
          "%s is missing beside a log, and without it a member of a group could vote twice: it starts with an empty folder and joins again; only a node that was never in a group is started here, and without --members"
              .formatted(file.describe()));
    }
    TermRecord record =
        stored
            .map(
                found ->
                    found.record().started(unsyncedMayBeLost(recovery, isOfOtherMemory(found))))
            .orElse(ofAlone == null ? TermRecord.fresh() : ofAlone);
    if (record.founding() == null
        && recovery.lastIndex() > 0
        && !record.initial().equals(Membership.NONE)) {
      record = record.withFounding(record.initial().founding());
    }
    save(record);
    return record;
  }

  private static boolean unsyncedMayBeLost(RecoveryReport recovery, boolean otherMemory) {
    return !recovery.clean() && (recovery.unsyncedMayBeLost() || otherMemory);
  }

  private UUID folderOfAlone() {
    return ofAlone == null ? null : ofAlone.initial().voters().get(0).folder();
  }

  private Optional<VoteFile.Note> readAlone() {
    try {
      return Optional.of(file.read(0));
    } catch (LogException e) {
      if (e.category() != Category.CORRUPT) {
        throw e;
      }
      log.warn("{} is damaged, and is written anew; look after the disk", file.describe());
      return Optional.empty();
    }
  }

  /**
   * Whether what was in the machine's memory may have gone. A node without a group, of whose log
   * nobody has a copy, does not rely on the boot: its file system may have been mounted anew.
   */
  private boolean isOfOtherMemory(Stored stored) {
    return ofAlone != null || !BootId.isSame(stored.boot(), boot);
  }

  private void refuseModeRaft(Optional<Stored> stored, RecoveryReport recovery) {
    if (stored.isEmpty() && recovery.lastIndex() > 0 && files.list().contains(RAFT_NAME)) {
      throw new LogException(
          Category.FORMAT,
          "%s shows a folder of mode raft, which this version does not have; take a backup with the version that wrote it, and restore that into an empty folder"
              .formatted(files.describe(RAFT_NAME)));
    }
  }

  /** On return the record is on disk. */
  void save(TermRecord record) {
    ByteBuffer to = ByteBuffer.allocate(VoteFile.NOTE_BYTES_MAX);
    to.putLong(record.term()).putLong(record.incarnation());
    to.put(record.durabilityState().code());
    to.put((byte) (record.votedFor() == null ? 0 : 1));
    if (record.votedFor() != null) {
      Membership.encode(record.votedFor(), to);
    }
    byte[] bootBytes = boot.getBytes(UTF_8);
    UUID founding = record.founding() == null ? NO_FOUNDING : record.founding();
    to.put(record.initial().encoded());
    to.putLong(founding.getMostSignificantBits()).putLong(founding.getLeastSignificantBits());
    to.put((byte) (record.synced() ? 1 : 0));
    to.put((byte) bootBytes.length).put(bootBytes);
    file.write(to.flip());
  }
}
