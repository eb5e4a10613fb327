package io.mgtm.group.raft;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogCursor;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStore;
import io.mgtm.group.storage.StorageFiles;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.ObjLongConsumer;
import org.jgroups.Address;
import org.jgroups.protocols.raft.Log;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;

/**
 * jgroups-raft's log on this project's files: mapped segments with a checksum for each entry,
 * checkpoints that are renamed into place, and a file for term and vote.
 *
 * <p>It keeps what Raft rests on and jgroups-raft's own file log does not: an append, a term and a
 * vote are on disk on return; the stored term is never lowered; what cannot be stored is an
 * exception and not a line on the console; a torn end is found by its checksum.
 *
 * <pre>
 * entry in the log: | internal:u8 | command |
 * </pre>
 *
 * The commit index is not stored: after a start it is that of the checkpoint, and the leader says
 * how far it has gone since. Any thread; calls exclude each other, but for {@link #saveCheckpoint}
 * and what says that it does not wait for appends.
 */
final class RaftDisk implements Log {
  private static final int ENTRY_HEADER_BYTES = 1;
  private static final int CACHED = 1 << 10;
  private static final int CACHED_BYTES_MAX = 16 << 10;

  private final StorageFiles files;
  private final CheckpointStore checkpoints;
  private final LogStore store;
  private final int entryBytesMax;
  private final LogEntry[] cache = new LogEntry[CACHED];
  private final long[] cachedIndex = new long[CACHED];

  private RaftTerm promised;
  private boolean silent;
  private long commit;

  /** The log reaches back to the entry after this one, whose term is known. */
  private long base;

  private long baseTerm;
  private volatile CheckpointStore.Checkpoint newest;
  private ByteBuffer received;

  /** Bytes that a leader has handed over and that are not appended yet. */
  private long queuedBytes;

  /**
   * Opens a folder.
   *
   * @throws LogException as the stores throw; with FORMAT when another mode wrote the folder
   */
  RaftDisk(DataDirectory folder, LogSettings settings, Executor filesThread) {
    files = folder.files();
    if (files.list().contains("term")) {
      throw new LogException(
          Category.FORMAT,
          "The folder %s holds the log of another mode; choose an empty or new folder for mode raft"
              .formatted(folder.path()));
    }
    checkpoints = new CheckpointStore(files, folder.member());
    store =
        LogStore.open(
            new LogStore.Environment(files, folder.member(), filesThread, System::nanoTime),
            settings,
            checkpoints.newestIndex());
    entryBytesMax = settings.payloadBytesMax() - ENTRY_HEADER_BYTES;
    promised = RaftTerm.load(files, store.lastIndex() > 0 || checkpoints.newestIndex() > 0);
    promised.save(files);
    Optional<CheckpointStore.Checkpoint> loaded = checkpoints.load(store.firstIndex());
    loaded.ifPresent(found -> newest = found);
    if (newest != null) {
      base = newest.index();
      baseTerm = newest.term();
      commit = base;
    }
    store.startAppending();
    store.force();
  }

  /** The newest checkpoint on disk. */
  synchronized Optional<RaftCheckpoint> newestCheckpoint() {
    return newest == null
        ? Optional.empty()
        : Optional.of(RaftCheckpoint.decode(bytes(newest.state())));
  }

  /** The entry that the newest checkpoint ends with, 0 without one. Does not wait for appends. */
  long checkpointIndex() {
    CheckpointStore.Checkpoint found = newest;
    return found == null ? 0 : found.index();
  }

  /** How much log lies behind an entry, by files. Does not wait for appends. */
  long bytesBehind(long index) {
    return store.bytesBehind(index);
  }

  /** The term of the entry that the newest checkpoint ends with. */
  synchronized long checkpointTerm() {
    return newest.term();
  }

  private static byte[] bytes(ByteBuffer of) {
    byte[] bytes = new byte[of.remaining()];
    of.duplicate().get(bytes);
    return bytes;
  }

  /** Whether this member may vote; see {@link RaftTerm#settled}. */
  synchronized boolean isSettled() {
    return promised.settled();
  }

  synchronized void settle() {
    promised = new RaftTerm(promised.term(), promised.vote(), true);
    promised.save(files);
  }

  /** The largest payload of a {@link RaftEntry}. */
  int payloadBytesMax() {
    return entryBytesMax - RaftEntry.HEADER_BYTES;
  }

  /**
   * Whether an entry can be handed over, so that it will find room when it is appended. Waits for
   * those before it, within bounds.
   *
   * @param bytes of the entry
   */
  synchronized boolean hasRoom(int bytes, long waitMs) {
    long deadline = System.nanoTime() + waitMs * 1_000_000;
    // What is handed over fits into one segment, and one whole segment is at hand.
    while (queuedBytes > 0 && queuedBytes + 2L * bytes > entryBytesMax) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return store.hasRoom(entryBytesMax)
        || (queuedBytes == 0 && store.hasRoom(bytes + ENTRY_HEADER_BYTES));
  }

  synchronized String noRoomReason() {
    return store.isDiskRefusing()
        ? store.noRoomReason()
        : "The log takes no more: what was appended is not on disk yet; check the disk's speed";
  }

  /** Notes bytes that are handed over, and after they are appended or given up, minus as many. */
  synchronized void queued(long bytes) {
    queuedBytes += bytes;
    notifyAll();
  }

  /** Does not wait for appends. */
  boolean isDiskRefusing() {
    return store.isDiskRefusing();
  }

  @Override
  public void init(String name, Map<String, String> arguments) {
    throw new UnsupportedOperationException("the log is opened before it is handed over");
  }

  @Override
  public Log useFsync(boolean force) {
    return this; // always
  }

  @Override
  public boolean useFsync() {
    return true;
  }

  @Override
  public void delete() {
    throw new UnsupportedOperationException("a member's log is not deleted while it runs");
  }

  @Override
  public synchronized long currentTerm() {
    return promised.term();
  }

  @Override
  public synchronized Log currentTerm(long term) {
    checkNotSilent();
    if (term > promised.term()) {
      promised = new RaftTerm(term, null, promised.settled());
      promised.save(files);
    }
    return this;
  }

  @Override
  public synchronized Address votedFor() {
    return promised.vote();
  }

  @Override
  public synchronized Log votedFor(Address member) {
    // A new term has taken the vote back already; nothing else may.
    checkNotSilent();
    if (member != null) {
      promised = new RaftTerm(promised.term(), member, promised.settled());
      promised.save(files);
    }
    return this;
  }

  @Override
  public synchronized long commitIndex() {
    return commit;
  }

  @Override
  public synchronized Log commitIndex(long index) {
    commit = Math.max(commit, index);
    return this;
  }

  @Override
  public synchronized long firstAppended() {
    return base == 0 ? 0 : base + 1;
  }

  @Override
  public synchronized long lastAppended() {
    return store.lastIndex();
  }

  @Override
  public synchronized void setSnapshot(ByteBuffer snapshot) {
    received = ByteBuffer.wrap(bytes(snapshot));
  }

  @Override
  public synchronized ByteBuffer getSnapshot() {
    return newest == null ? null : newest.state().duplicate();
  }

  /**
   * {@inheritDoc}
   *
   * @return on return it is on disk; when there is no room, as much as there was room for
   * @throws LogException with IO when the disk fails: nothing may be acknowledged any more
   */
  @Override
  public synchronized long append(long index, LogEntries entries) {
    checkNotSilent();
    long at = index;
    for (LogEntry entry : entries) {
      if (at != store.lastIndex() + 1) {
        throw new IllegalStateException(
            "entry %d would be stored after %d".formatted(at, store.lastIndex()));
      }
      int bytes = entry.command() == null ? 0 : entry.length();
      if (!store.hasRoom(bytes + ENTRY_HEADER_BYTES)) {
        break;
      }
      ByteBuffer stored = ByteBuffer.allocate(bytes + ENTRY_HEADER_BYTES);
      stored.put((byte) (entry.internal() ? 1 : 0));
      if (bytes > 0) {
        stored.put(entry.command(), entry.offset(), bytes);
      }
      store.append(entry.term(), stored.flip());
      remember(at, entry);
      at++;
    }
    store.force();
    return store.lastIndex();
  }

  private void remember(long index, LogEntry entry) {
    int slot = (int) (index % CACHED);
    cachedIndex[slot] = entry.length() <= CACHED_BYTES_MAX ? index : 0;
    cache[slot] = entry.length() <= CACHED_BYTES_MAX ? entry : null;
  }

  @Override
  public synchronized LogEntry get(long index) {
    if (index == base && base > 0) {
      return new LogEntry(baseTerm, new byte[0]);
    }
    if (index <= base || index > store.lastIndex()) {
      return null;
    }
    int slot = (int) (index % CACHED);
    if (cachedIndex[slot] == index) {
      return cache[slot];
    }
    try (LogCursor cursor = store.read(index)) {
      cursor.next();
      ByteBuffer stored = cursor.payload().duplicate();
      boolean internal = stored.get() != 0;
      LogEntry entry = new LogEntry(cursor.term(), bytes(stored)).internal(internal);
      remember(index, entry);
      return entry;
    }
  }

  /** The log is cut behind checkpoints only, by {@link #saveCheckpoint}. */
  @Override
  public void truncate(long index) {}

  @Override
  public void reinitializeTo(long index, LogEntry entry) {
    synchronized (checkpoints) {
      synchronized (this) {
        beginAfterReceived(index, entry.term());
      }
    }
  }

  private void beginAfterReceived(long index, long term) {
    ByteBuffer state = received;
    if (state == null) {
      throw new IllegalStateException("a log is begun anew without a checkpoint");
    }
    if (store.lastIndex() >= index) {
      store.truncateSuffix(index);
    }
    store.restartAfter(index, term, () -> checkpoints.save(index, term, bytes(state)));
    Arrays.fill(cachedIndex, 0);
    newest = new CheckpointStore.Checkpoint(index, term, state);
    received = null;
    base = index;
    baseTerm = term;
    commit = index;
  }

  @Override
  public synchronized void deleteAllEntriesStartingFrom(long index) {
    if (index <= commit) {
      throw new LogException(
          Category.CORRUPT,
          "entry %d is committed here and the leader has another one; start this member with an empty folder"
              .formatted(index));
    }
    store.truncateSuffix(index);
    Arrays.fill(cachedIndex, 0);
  }

  /**
   * Stores a checkpoint of committed entries, and gives back what lies before it. Files thread.
   *
   * @throws LogException when the system refuses; the older checkpoints are as they were
   */
  void saveCheckpoint(RaftCheckpoint checkpoint) {
    byte[] state = checkpoint.encoded();
    synchronized (checkpoints) {
      long term;
      synchronized (this) {
        if (newest != null && newest.index() >= checkpoint.index()) {
          return; // one from the leader came meanwhile
        }
        term = get(checkpoint.index()).term();
      }
      checkpoints.save(checkpoint.index(), term, state);
      synchronized (this) {
        // The log is kept back to the checkpoint before, for members that lag behind a little.
        if (newest != null) {
          base = newest.index();
          baseTerm = newest.term();
        }
        newest = new CheckpointStore.Checkpoint(checkpoint.index(), term, ByteBuffer.wrap(state));
      }
      store.dropPrefix(checkpoints.previousIndex());
    }
  }

  @Override
  public void forEach(ObjLongConsumer<LogEntry> function, long from, long to) {
    for (long index = Math.max(from, firstAppended()); index <= to; index++) {
      LogEntry entry = get(index);
      if (entry != null) {
        function.accept(entry, index);
      }
    }
  }

  @Override
  public void forEach(ObjLongConsumer<LogEntry> function) {
    forEach(function, firstAppended(), lastAppended());
  }

  @Override
  public synchronized long sizeInBytes() {
    return 0; // checkpoints are made by this project's own measure
  }

  /** The channel is closed: from now on nothing is promised. The log is still to be closed. */
  @Override
  public synchronized void close() {
    silent = true;
  }

  private void checkNotSilent() {
    if (silent) {
      throw new IllegalStateException("the member has left the group");
    }
  }

  /** Forces everything and notes that nothing is missing; with no other thread at work any more. */
  synchronized void closeCleanly() {
    store.closeCleanly();
  }
}
