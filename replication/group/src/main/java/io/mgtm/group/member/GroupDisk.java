package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.Membership;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogCursor;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.LogStore;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The log and the checkpoints of a member on its disk. Owner thread, but for {@link #save}, which
 * the thread of checkpoints calls, and {@link #drop}, which the files thread does.
 *
 * <pre>
 * entry in the log:    | kind:u8 | durability:u8 | payload |
 * content of a checkpoint: | bytes:i32 | membership | state of the state machine |
 * </pre>
 */
final class GroupDisk implements CoreLog {
  static final int ENTRY_HEADER_BYTES = 2;

  /** What a member without room must still be able to append before it stops leading. */
  private static final int SMALL_ENTRY_BYTES = 8 << 10;

  private final LogStore store;
  private final CheckpointStore checkpoints;
  private final Runnable force;
  private final StateKeeper state;
  private final TermRuns terms = new TermRuns();

  private final LogTail tail;
  private long base;
  private Checkpoint newest;

  /** What the newest checkpoint, and the one before, stand in. */
  private CheckpointFile newestFile;

  private CheckpointFile previousFile;
  private final CheckpointInflow inflow;
  private final ByteBuffer header = ByteBuffer.allocate(ENTRY_HEADER_BYTES);

  /** Told before the log changes under the state machine. */
  interface StateKeeper {
    /** Entries from an index on are gone. */
    void truncated(long fromIndex);

    /** Everything is replaced by a checkpoint, whose state the task puts in place. */
    void installed(Checkpoint checkpoint, Runnable state);
  }

  /**
   * Opens what the stores hold, without reading the entries: {@link #found} is to be called for
   * each of them.
   *
   * @param force starts a force in the background
   */
  GroupDisk(
      LogStore store,
      CheckpointStore checkpoints,
      int tailBytesMax,
      Runnable force,
      StateKeeper state,
      CheckpointInflow inflow) {
    this.inflow = inflow;
    this.store = store;
    this.checkpoints = checkpoints;
    this.force = force;
    this.state = state;
    long first = store.firstIndex();
    newestFile = checkpoints.load(first).orElse(null);
    newest = newestFile == null ? null : of(newestFile, membership(newestFile.content()));
    if (newest != null && newest.index() + 1 == first) {
      base = newest.index();
      terms.reset(base, newest.term());
    } else {
      // The term of the entry before the first is not known, so the first one serves as base.
      base = first == 1 ? 0 : first;
    }
    tail = new LogTail(tailBytesMax, store.lastIndex() + 1);
  }

  private static Checkpoint of(CheckpointFile file, Membership membership) {
    return new Checkpoint(file.index(), file.term(), membership, file.bytes(), file.crc());
  }

  /** Reads what stands before the state. */
  static Membership membership(Pieces content) {
    Membership[] read = new Membership[1];
    content.head(
        from -> {
          int bytes = from.getInt();
          if (bytes < 0 || bytes > from.remaining()) {
            throw new BufferUnderflowException();
          }
          read[0] = Membership.decode(from.slice(from.position(), bytes));
          from.position(from.position() + bytes);
        });
    return read[0];
  }

  /** What the newest checkpoint stands in, null for none. */
  CheckpointFile newestFile() {
    return newestFile;
  }

  /** The state in a checkpoint's content. Any thread. */
  static Pieces stateIn(Pieces content) {
    membership(content);
    return content;
  }

  /** The lowest index that stands in the log's files. */
  long firstStored() {
    return store.firstIndex();
  }

  /** Reads all entries after a checkpoint, or all, at the start. */
  LogCursor cursor(long fromIndex) {
    return store.read(fromIndex);
  }

  /** Notes an entry that the log holds at the start; in the log's order. */
  void found(long index, long term) {
    terms.appended(index, term);
  }

  /** An entry as it stands in the log. */
  static Entry entry(long term, ByteBuffer stored) {
    ByteBuffer payload = ByteBuffer.allocate(stored.remaining() - ENTRY_HEADER_BYTES);
    int at = stored.position();
    payload.put(0, stored, at + ENTRY_HEADER_BYTES, payload.capacity());
    return new Entry(
        term, EntryKind.of(stored.get(at)), Durability.of(stored.get(at + 1)), payload);
  }

  @Override
  public long baseIndex() {
    return base;
  }

  @Override
  public long lastIndex() {
    return store.lastIndex();
  }

  @Override
  public long durableIndex() {
    return store.durableIndex();
  }

  /** How much log lies behind an entry, by files; see {@link LogStore#bytesBehind}. */
  long bytesBehind(long index) {
    return store.bytesBehind(index);
  }

  @Override
  public long termAt(long index) {
    return terms.termAt(index);
  }

  /** Takes entries in the log's order. */
  interface Visitor {
    void visit(long index, Entry entry);
  }

  /** Shows entries that it holds, from one up to another, both included. */
  void visit(long fromIndex, long toIndex, Visitor visitor) {
    long at = fromIndex;
    if (at <= toIndex && !tail.holds(at)) {
      try (LogCursor cursor = store.read(at)) {
        for (; at <= toIndex; at++) {
          if (!cursor.next()) {
            throw new IllegalStateException("the log ends before entry " + at);
          }
          visitor.visit(at, entry(cursor.term(), cursor.payload()));
        }
      }
    }
    for (; at <= toIndex; at++) {
      visitor.visit(at, tail.get(at));
    }
  }

  @Override
  public List<Entry> read(long fromIndex, int bytesMax) {
    return tail.holds(fromIndex) ? tail.read(fromIndex, bytesMax) : fromStore(fromIndex, bytesMax);
  }

  private List<Entry> fromStore(long fromIndex, int bytesMax) {
    List<Entry> entries = new ArrayList<>();
    long bytes = 0;
    try (LogCursor cursor = store.read(fromIndex)) {
      while (cursor.next()) {
        bytes += cursor.payload().remaining();
        if (!entries.isEmpty() && bytes > bytesMax) {
          break;
        }
        entries.add(entry(cursor.term(), cursor.payload()));
      }
    }
    return entries;
  }

  @Override
  public boolean hasRoom() {
    return store.hasRoom(Math.min(SMALL_ENTRY_BYTES, store.payloadBytesMax()));
  }

  /** Refuses what an entry can never have. */
  static void checkSize(int bytes) {
    if (bytes > ReplicatedLog.ENTRY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "An entry of %d bytes; members send each other %d at the most, make it several entries"
              .formatted(bytes, ReplicatedLog.ENTRY_BYTES_MAX));
    }
  }

  boolean hasRoom(int payloadBytes) {
    return store.hasRoom(payloadBytes + ENTRY_HEADER_BYTES);
  }

  @Override
  public void append(Entry entry) {
    int bytes = entry.payload().remaining() + ENTRY_HEADER_BYTES;
    if (!store.hasRoom(bytes)) {
      throw new LogException(Category.NO_SPACE, store.noRoomReason());
    }
    header.put(0, entry.kind().code()).put(1, entry.durability().code());
    long index = store.append(entry.term(), header, entry.payload());
    terms.appended(index, entry.term());
    tail.append(entry);
    if (store.isForceOverdue()) {
      requestForce();
    }
  }

  @Override
  public void truncate(long fromIndex) {
    store.truncateSuffix(fromIndex);
    terms.truncated(fromIndex);
    tail.truncate(fromIndex);
    state.truncated(fromIndex);
  }

  @Override
  public void requestForce() {
    force.run();
  }

  @Override
  public Checkpoint newestCheckpoint() {
    return newest;
  }

  /** The entry that the newest checkpoint ends with, 0 without one. */
  long checkpointIndex() {
    return newest == null ? 0 : newest.index();
  }

  @Override
  public ByteBuffer read(Checkpoint checkpoint, long offset, int bytesMax) {
    CheckpointFile file = checkpoint.equals(newest) ? newestFile : previousFile;
    if (file == null || file.index() != checkpoint.index() || file.crc() != checkpoint.crc()) {
      return null;
    }
    try {
      return file.read(offset, bytesMax);
    } catch (LogException e) {
      if (checkpoints.holds(file)) {
        throw e;
      }
      return null;
    }
  }

  @Override
  public void receive(Checkpoint checkpoint, long offset, ByteBuffer piece) {
    inflow.receive(checkpoint, offset, piece);
  }

  @Override
  public void install(Checkpoint checkpoint) {
    CheckpointInflow.Ready ready = inflow.take(checkpoint);
    synchronized (checkpoints) {
      if (store.lastIndex() >= checkpoint.index()) {
        // It contradicts the leader's log; the core sees to it that nobody needs it.
        store.truncateSuffix(checkpoint.index());
      }
      store.restartAfter(checkpoint.index(), checkpoint.term(), ready.file()::commit);
    }
    terms.reset(checkpoint.index(), checkpoint.term());
    tail.restart(checkpoint.index() + 1);
    base = checkpoint.index();
    took(checkpoint, ready.file().finished());
    state.installed(checkpoint, ready.state());
  }

  private void took(Checkpoint checkpoint, CheckpointFile file) {
    previousFile = newestFile;
    newestFile = file;
    newest = checkpoint;
  }

  /** Writes a checkpoint; on return it is on disk. */
  CheckpointFile save(long index, long term, Membership membership, StatePicture of) {
    return checkpoints.save(index, term, content(membership, of));
  }

  /** What a checkpoint holds. */
  static StatePicture content(Membership membership, StatePicture state) {
    byte[] members = membership.encoded();
    ByteBuffer head = ByteBuffer.allocate(4 + members.length).putInt(members.length).put(members);
    return pieces -> {
      pieces.accept(head.flip());
      state.writeTo(pieces);
    };
  }

  /**
   * Notes that a checkpoint is on disk; the log is then needed back to the one before only.
   *
   * @return as {@link #release}
   */
  long saved(CheckpointFile file, Membership membership) {
    Checkpoint checkpoint = of(file, membership);
    if (newest != null && newest.index() >= checkpoint.index()) {
      return base;
    }
    took(checkpoint, file);
    return release();
  }

  /**
   * Gives up the log that no checkpoint needs; also the one that is kept in reserve, while the disk
   * refuses.
   *
   * @return the index up to which {@link #drop} may drop it
   */
  long release() {
    CheckpointFile needed = store.isDiskRefusing() ? newestFile : previousFile;
    long through = needed == null ? 0 : needed.index();
    if (through > base) {
      base = through;
      terms.compacted(base);
    }
    return base;
  }

  /** Bytes appended since the start. Any thread. */
  long appendedBytes() {
    return store.appendedBytes();
  }

  /** Where the log stands and what it has done. Any thread. */
  LogStats stats(GroupCheckpoints written) {
    return new LogStats(
        store.firstIndex(),
        store.lastIndex(),
        store.durableIndex(),
        store.appendedBytes(),
        store.forces(),
        store.forceNanos(),
        written.written(),
        written.failures(),
        checkpointIndex(),
        written.newestEpochMs(),
        store.segmentCount());
  }

  /** Gives back what lies at or before an index. Files thread. */
  void drop(long throughIndex) {
    synchronized (checkpoints) {
      if (throughIndex <= store.durableIndex()) {
        store.dropPrefix(throughIndex);
      }
    }
  }
}
