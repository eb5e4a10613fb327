package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoints of a state machine as files; the last two are kept.
 *
 * <p>A file's name carries index and term. Its content and name are on disk before a checkpoint
 * counts, and it has its final name only once its content is. The format is that of {@link
 * CheckpointFile}.
 *
 * <p>Any thread; a checkpoint is written, and read, by one thread.
 */
public final class CheckpointStore {
  private static final Logger log = LoggerFactory.getLogger(CheckpointStore.class);
  private static final int KEPT = 2;
  private static final String PREFIX = "checkpoint-";

  private final StorageFiles files;
  private final UUID member;

  /** Known to be sound, or not looked at yet; the newest first. */
  private final List<Name> names = new ArrayList<>();

  private record Name(String file, long index, long term) {
    static final Comparator<Name> NEWEST_FIRST =
        Comparator.comparingLong(Name::index).thenComparingLong(Name::term).reversed();

    static Name of(long index, long term) {
      return new Name(PREFIX + FileNames.digits(index) + "-" + FileNames.digits(term), index, term);
    }

    static Optional<Name> parse(String file) {
      int termAt = PREFIX.length() + FileNames.DIGITS + 1;
      if (!file.startsWith(PREFIX) || file.length() != termAt + FileNames.DIGITS) {
        return Optional.empty();
      }
      OptionalLong index = FileNames.number(file.substring(PREFIX.length(), termAt - 1));
      OptionalLong term = FileNames.number(file.substring(termAt));
      return index.isPresent() && term.isPresent()
          ? Optional.of(new Name(file, index.getAsLong(), term.getAsLong()))
          : Optional.empty();
    }
  }

  /** Finds the checkpoints of a folder; reads none yet. */
  public CheckpointStore(StorageFiles files, UUID member) {
    this.files = files;
    this.member = member;
    files.list().forEach(file -> Name.parse(file).ifPresent(names::add));
    names.sort(Name.NEWEST_FIRST);
  }

  /** The index of the newest checkpoint by its name, 0 when there is none. */
  public synchronized long newestIndex() {
    return names.isEmpty() ? 0 : names.get(0).index();
  }

  /**
   * Looks for the newest sound checkpoint, of which every byte is read.
   *
   * @param logFirstIndex the lowest index that the log reaches back to
   * @return empty when there is none and the log holds everything
   * @throws LogException with CORRUPT when the log does not reach back to any sound checkpoint, or
   *     FORMAT when a newer version wrote it
   */
  public synchronized Optional<CheckpointFile> load(long logFirstIndex) {
    List<String> damaged = new ArrayList<>();
    while (!names.isEmpty()) {
      Name name = names.get(0);
      Optional<CheckpointFile> checkpoint = open(name);
      if (checkpoint.isPresent()) {
        if (name.index() + 1 < logFirstIndex) {
          break;
        }
        return checkpoint;
      }
      log.warn(
          "{} is damaged; an older checkpoint and the log take its place",
          files.describe(name.file()));
      damaged.add(files.describe(name.file()));
      names.remove(0);
    }
    if (logFirstIndex > 1) {
      throw LogException.damaged(
          "The log begins at index %d and no sound checkpoint reaches up to it (damaged: %s)"
              .formatted(logFirstIndex, damaged.isEmpty() ? "none" : String.join(", ", damaged)));
    }
    return Optional.empty();
  }

  /** Whether a checkpoint is still kept. */
  public synchronized boolean holds(CheckpointFile file) {
    return names.contains(Name.of(file.index(), file.term()));
  }

  private Optional<CheckpointFile> open(Name name) {
    return CheckpointFile.open(files, name.file(), name.index(), name.term(), member);
  }

  /**
   * Begins a checkpoint of the state after {@code index}, which the log must have on disk when it
   * is {@link Writer#commit}ted.
   */
  public Writer begin(long index, long term) {
    return new Writer(Name.of(index, term));
  }

  /**
   * Writes a checkpoint whole, and removes all but the last two. On return it is on disk.
   *
   * @throws LogException when the system refuses; the older checkpoints are as they were
   */
  public CheckpointFile save(long index, long term, StatePicture state) {
    Writer writer = begin(index, term);
    try {
      state.writeTo(writer::add);
      return writer.commit();
    } catch (RuntimeException | Error e) {
      writer.abandon(e);
      throw e;
    }
  }

  /** A checkpoint that is being written, under a name that does not count. */
  public final class Writer {
    private final Name name;
    private final String unfinished;
    private final CheckpointFile.Writer file;
    private CheckpointFile finished;

    private Writer(Name name) {
      this.name = name;
      this.unfinished = name.file() + FileNames.UNFINISHED;
      files.delete(unfinished);
      try {
        this.file = new CheckpointFile.Writer(files, unfinished, name.index(), name.term(), member);
      } catch (LogException e) {
        removeQuietly(unfinished, e);
        throw e;
      }
    }

    /**
     * Adds what follows of the content.
     *
     * @throws LogException when the system refuses
     */
    public void add(ByteBuffer content) {
      file.add(content);
    }

    /**
     * All was added: it is brought to disk, under its own name. What may wait is done here.
     *
     * @throws LogException when the system refuses
     */
    public CheckpointFile finish() {
      finished = file.finish(name.file());
      files.force(unfinished);
      return finished;
    }

    /** Lets it count, and removes all but the last two. On return that is on disk. */
    public CheckpointFile commit() {
      CheckpointFile checkpoint = finished == null ? finish() : finished;
      synchronized (CheckpointStore.this) {
        files.rename(unfinished, name.file());
        files.forceDirectory();
        names.remove(name);
        names.add(name);
        names.sort(Name.NEWEST_FIRST);
        removeOld();
      }
      return checkpoint;
    }

    /** What {@link #finish} gave. */
    public CheckpointFile finished() {
      return finished;
    }

    /** What was written, to be read before it counts. */
    public Pieces content() {
      return finished.as(unfinished).content();
    }

    /** Gives up; the older checkpoints are as they were. */
    public void abandon(Throwable cause) {
      removeQuietly(unfinished, cause);
    }

    /** Gives up what is not wanted any more. */
    public void abandon() {
      abandon(new LogException(Category.IO, unfinished + " is not wanted any more"));
    }
  }

  private void removeQuietly(String file, Throwable cause) {
    try {
      files.delete(file);
    } catch (LogException e) {
      cause.addSuppressed(e);
    }
  }

  /** What cannot be removed now is removed after the next checkpoint. */
  private void removeOld() {
    names.subList(Math.min(KEPT, names.size()), names.size()).clear();
    try {
      for (String file : files.list()) {
        Optional<Name> found = Name.parse(file);
        if (found.isPresent() && !names.contains(found.get())) {
          files.delete(file);
        }
      }
    } catch (LogException e) {
      log.warn("Old checkpoints are kept until the next one: {}", e.getMessage());
    }
  }
}
