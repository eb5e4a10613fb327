package io.mgtm.group.local;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.FolderName;
import io.mgtm.group.storage.BackgroundSync;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.DurabilityGate;
import io.mgtm.group.storage.LogCursor;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.LogStore;
import io.mgtm.group.storage.RecoveryReport;
import io.mgtm.group.storage.StorageFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a group of one: durable on this machine's disk, and gone with it.
 *
 * <p>One force covers everything appended before it. When a force fails, nothing is acknowledged
 * ever after: what the disk holds is in doubt until the log is opened again.
 *
 * <p>The owner executor must run one task after the other, never inside {@code execute}; between
 * two tasks everything applied to the state machine must be appended, for that is when checkpoints
 * are taken.
 */
public final class LocalLog implements ReplicatedLog {
  private static final Logger log = LoggerFactory.getLogger(LocalLog.class);

  private final StorageThreads threads;
  private final AutoCloseable folder;
  private final Executor owner;
  private final Listener listener;
  private final LocalLogSettings settings;
  private final LogStore store;
  private final Checkpointer checkpointer;
  private final DurabilityGate gate;
  private final long term;

  private final BackgroundSync sync;
  private final AtomicBoolean syncedTold = new AtomicBoolean();
  private final AtomicReference<LogException> failure = new AtomicReference<>();
  private final Runnable syncedTask = this::synced;
  private boolean closed;

  /** What a log stands on; tests put other parts in. */
  record Parts(
      StorageFiles files,
      UUID member,
      AutoCloseable folder,
      StorageThreads threads,
      LongSupplier nanoClock) {}

  /**
   * Opens the log of a folder, or begins one: restores the state machine from the newest checkpoint
   * and applies what the log holds after it. Called by the owner thread, or before it runs.
   *
   * @throws LogException with ACCESS, IN_USE, FORMAT, CORRUPT, NO_SPACE or IO as its categories say
   */
  public static LocalLog open(
      Path folder,
      LocalLogSettings settings,
      StateMachine machine,
      Executor owner,
      Listener listener) {
    DataDirectory directory = DataDirectory.open(folder);
    return open(
        new Parts(
            directory.files(),
            directory.member(),
            directory,
            StorageThreads.start(),
            System::nanoTime),
        settings,
        machine,
        owner,
        listener);
  }

  static LocalLog open(
      Parts parts,
      LocalLogSettings settings,
      StateMachine machine,
      Executor owner,
      Listener listener) {
    try {
      return new LocalLog(parts, settings, machine, owner, listener);
    } catch (RuntimeException | Error e) {
      try {
        parts.threads().stop();
        parts.folder().close();
      } catch (Exception suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private LocalLog(
      Parts parts,
      LocalLogSettings settings,
      StateMachine machine,
      Executor owner,
      Listener listener) {
    this.threads = parts.threads();
    this.folder = parts.folder();
    this.settings = settings;
    this.owner = owner;
    this.listener = listener;
    FolderName.refuseMember(parts.files(), parts.member());
    CheckpointStore checkpoints = new CheckpointStore(parts.files(), parts.member());
    store =
        LogStore.open(
            new LogStore.Environment(
                parts.files(), parts.member(), threads.files(), parts.nanoClock()),
            settings.segments(),
            checkpoints.newestIndex());
    sync = new BackgroundSync(store, threads.force(), this::tellSynced, this::fail);
    Optional<CheckpointFile> checkpoint = checkpoints.load(store.firstIndex());
    checkpoint.ifPresent(found -> machine.load(found.content()).run());
    long checkpointIndex = checkpoint.map(CheckpointFile::index).orElse(0L);
    long replayedBytes = replay(machine, checkpointIndex + 1);
    term = Math.max(1, store.lastTerm());
    gate = new DurabilityGate(store.lastIndex());
    checkpointer =
        new Checkpointer(
            store,
            checkpoints,
            machine,
            this::tellOwner,
            threads,
            () -> failure.get() == null && sync.force(),
            parts.nanoClock(),
            settings,
            replayedBytes);
    store.startAppending();
    tellRecovery(parts, checkpointIndex);
  }

  private long replay(StateMachine machine, long fromIndex) {
    long bytes = 0;
    try (LogCursor cursor = store.read(fromIndex)) {
      while (cursor.next()) {
        bytes += cursor.payload().remaining();
        machine.apply(cursor.index(), cursor.payload());
      }
    }
    return bytes;
  }

  private void tellRecovery(Parts parts, long checkpointIndex) {
    RecoveryReport report = store.recovery();
    String place = parts.files().describe("");
    if (report.fresh()) {
      log.info("New log of member {} in {}", parts.member(), place);
      return;
    }
    log.info(
        "Log of member {} in {}: entries {} to {}, checkpoint at {}, {}",
        parts.member(),
        place,
        report.firstIndex(),
        report.lastIndex(),
        checkpointIndex,
        report.clean() ? "cleanly stopped" : "not cleanly stopped");
    if (report.cutBytes() > 0) {
      log.warn(
          "Cut {} bytes of a torn tail after entry {} in {}; nothing there had been acknowledged as"
              + " durable",
          report.cutBytes(),
          report.lastIndex(),
          place);
    }
  }

  /** What was found on disk when the log was opened. */
  public RecoveryReport recovery() {
    return store.recovery();
  }

  /**
   * Whether entries that were acknowledged without being synced may be missing: the last process
   * did not come to close the log. False for a new log.
   */
  public boolean recoveredUncleanly() {
    return !store.recovery().clean();
  }

  @Override
  public boolean hasRoom(int bytes) {
    checkOpen();
    if (store.hasRoom(bytes)) {
      return true;
    }
    checkpointer.roomRefused();
    return false;
  }

  @Override
  public String noRoomReason() {
    return store.noRoomReason();
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    checkOpen();
    LogException failed = failure.get();
    if (failed != null) {
      throw new LogException(failed.category(), failed.getMessage(), failed);
    }
    long index;
    try {
      index = store.append(term, payload);
    } catch (LogException e) {
      if (e.category() == Category.IO) {
        fail(e);
      }
      throw e;
    }
    Durability effective = settings.durability().atLeast(durability);
    gate.appended(index, effective);
    if (effective != Durability.BUFFERED || store.isForceOverdue()) {
      sync.ask();
    }
    checkpointer.appended();
    return index;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the log is closed");
    }
  }

  /** Any storage thread. */
  private void tellSynced() {
    if (!syncedTold.getAndSet(true)) {
      tellOwner(syncedTask);
    }
  }

  private void tellOwner(Runnable task) {
    try {
      owner.execute(task);
    } catch (RejectedExecutionException e) {
      log.warn("The thread that owns the log has stopped before the log was closed", e);
    }
  }

  /** Owner thread. */
  private void synced() {
    syncedTold.getAndSet(false);
    if (failure.get() != null || closed) {
      return;
    }
    tellCommitted();
  }

  private void tellCommitted() {
    long before = gate.committedIndex();
    gate.durable(store.durableIndex());
    long committed = gate.committedIndex();
    if (committed > before) {
      listener.committed(committed);
    }
  }

  private void fail(LogException cause) {
    if (failure.compareAndSet(null, cause)) {
      log.error("The log has failed: {}", cause.getMessage(), cause);
      tellOwner(() -> listener.failed(cause));
    }
  }

  @Override
  public long committedIndex() {
    return gate.committedIndex();
  }

  @Override
  public long lastIndex() {
    return store.lastIndex();
  }

  /** Where the log stands and what it has done. Any thread. */
  public LogStats stats() {
    return new LogStats(
        store.firstIndex(),
        store.lastIndex(),
        store.durableIndex(),
        store.appendedBytes(),
        store.forces(),
        store.forceNanos(),
        checkpointer.written(),
        checkpointer.failures(),
        checkpointer.newestIndex(),
        checkpointer.newestEpochMs(),
        store.segmentCount());
  }

  /**
   * Forces everything, tells the listener, writes a last checkpoint, marks the log as cleanly
   * closed, and gives the folder up. After a failure it only gives the folder up. Called by the
   * owner thread, or once that has ended, with everything applied also appended.
   *
   * @throws LogException when the log could not be closed cleanly; the folder is given up all the
   *     same, unless the disk does not answer any more
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    // Threads that do not stop may still write: the folder then stays owned until the process ends.
    threads.stop();
    try (folder) {
      if (failure.get() != null) {
        return;
      }
      store.force();
      tellCommitted();
      checkpointer.close();
      store.closeCleanly();
      log.info("Closed the log cleanly at entry {}", store.lastIndex());
    } catch (LogException e) {
      failure.compareAndSet(null, e);
      throw e;
    } catch (Exception e) {
      throw new LogException(Category.IO, "Closing the log failed: " + e.getMessage(), e);
    }
  }
}
