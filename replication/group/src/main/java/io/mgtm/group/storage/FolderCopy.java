package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A copy of the folder of a member that is stopped, gone when it is closed: whoever opens a log
 * mends it, and the folder is to stay as it is. One thread.
 */
public final class FolderCopy implements AutoCloseable {
  private final Path copy;
  private final StorageFiles files;
  private final UUID member;

  private FolderCopy(Path copy, StorageFiles files, UUID member) {
    this.copy = copy;
    this.files = files;
    this.member = member;
  }

  /**
   * Copies a folder, which no process may own meanwhile.
   *
   * @param copy where to; what an interrupted run has left there is removed
   * @throws LogException with IN_USE when a process owns the folder, with FORMAT when it is none of
   *     a member, with NO_SPACE when the copy finds no room, or as {@link DiskFiles} throws
   */
  public static FolderCopy of(Path folder, Path copy) {
    if (!DataDirectory.isIn(folder)) {
      throw new LogException(
          Category.FORMAT,
          "The folder %s holds no file \"%s\", so it is not an mgtm data folder"
              .formatted(folder, FolderFormat.NAME));
    }
    FolderLock lock = FolderLock.acquireToRead(folder);
    try {
      UUID member = FolderFormat.read(new DiskFiles(folder));
      FolderCopy made = new FolderCopy(copy, new DiskFiles(copy, folder), member);
      try {
        made.fill(folder);
        return made;
      } catch (LogException e) {
        made.closeAfter(e);
        throw e;
      }
    } finally {
      lock.close();
    }
  }

  private void fill(Path folder) {
    close();
    try {
      Files.createDirectory(copy);
    } catch (IOException e) {
      throw IoErrors.of("create", copy, e);
    }
    for (String name : new DiskFiles(folder).list()) {
      Path from = folder.resolve(name);
      if (isNeeded(name) && Files.isRegularFile(from)) {
        Path to = copy.resolve(name);
        try {
          Files.copy(from, to);
        } catch (IOException e) {
          throw IoErrors.of("make %s, a copy of".formatted(to), from, e);
        }
      }
    }
  }

  private static boolean isNeeded(String name) {
    return !name.equals(FolderLock.NAME) && !name.endsWith(FileNames.UNFINISHED);
  }

  /** The copies; they are described as what they are copies of. */
  public StorageFiles files() {
    return files;
  }

  /** The member whose folder it is. */
  public UUID member() {
    return member;
  }

  private void closeAfter(LogException cause) {
    try {
      close();
    } catch (LogException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void close() {
    if (!Files.exists(copy)) {
      return;
    }
    try (Stream<Path> entries = Files.list(copy)) {
      for (Path file : entries.toList()) {
        Files.delete(file);
      }
      Files.delete(copy);
    } catch (IOException e) {
      throw IoErrors.of("remove", copy, e);
    }
  }
}
