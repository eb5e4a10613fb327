package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A member's data folder: exists, is ours, can be written, and belongs to this process alone until
 * it is closed.
 */
public final class DataDirectory implements AutoCloseable {
  private static final String PROBE = "probe" + FileNames.UNFINISHED;

  /** What a folder may hold before it is ours: the rest of a first start that was interrupted. */
  private static final Set<String> BEFORE_FORMAT =
      Set.of(FolderLock.NAME, FolderFormat.NAME + FileNames.UNFINISHED, PROBE, "lost+found");

  private final Path folder;
  private final FolderLock lock;
  private final StorageFiles files;
  private final UUID member;

  private DataDirectory(Path folder, FolderLock lock, StorageFiles files, UUID member) {
    this.folder = folder;
    this.lock = lock;
    this.files = files;
    this.member = member;
  }

  /**
   * Opens a folder, or creates it with all folders above it.
   *
   * @throws LogException with ACCESS when it cannot be created or written, IN_USE when another
   *     process has it open, FORMAT when it holds something else or a newer version's data
   */
  public static DataDirectory open(Path path) {
    Path folder = path.toAbsolutePath().normalize();
    create(folder);
    StorageFiles files = new DiskFiles(folder);
    refuseStrange(folder, files.list());
    FolderLock lock = FolderLock.acquire(folder);
    try {
      // Looked at again under the lock: another process may have been quicker.
      refuseStrange(folder, files.list());
      probe(folder, files);
      if (!files.list().contains(FolderFormat.NAME)) {
        FolderFormat.write(files, UUID.randomUUID());
      }
      return new DataDirectory(folder, lock, files, FolderFormat.read(files));
    } catch (LogException e) {
      lock.close();
      throw e;
    }
  }

  /** Creates the folder and each missing one above it, each on disk before the next. */
  private static void create(Path folder) {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.getParent();
    if (parent != null) {
      create(parent);
    }
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (Files.isDirectory(folder)) {
        return; // made by another process in between
      }
      throw new LogException(
          Category.ACCESS, "%s is a file; choose a folder for the data".formatted(folder), e);
    } catch (IOException e) {
      throw IoErrors.of("create", folder, e);
    }
    if (parent != null) {
      DiskFiles.forceDirectory(parent);
    }
  }

  private static void refuseStrange(Path folder, List<String> names) {
    if (names.contains(FolderFormat.NAME)) {
      return;
    }
    names.stream()
        .filter(name -> !BEFORE_FORMAT.contains(name))
        .sorted()
        .findFirst()
        .ifPresent(
            strange -> {
              throw new LogException(
                  Category.FORMAT,
                  ("The folder %s holds \"%s\" but no file \"%s\", so it is not an mgtm data folder;"
                          + " choose an empty or new folder")
                      .formatted(folder, strange, FolderFormat.NAME));
            });
  }

  /** An empty file takes no block, so this works on a full disk too. */
  private static void probe(Path folder, StorageFiles files) {
    files.write(PROBE, new byte[0]);
    files.delete(PROBE);
    if (!Files.isReadable(folder)) {
      throw new LogException(
          Category.ACCESS,
          "The folder %s cannot be read; give this user read and write access".formatted(folder));
    }
  }

  public Path path() {
    return folder;
  }

  /** The member whose folder this is, for as long as the folder exists. */
  public UUID member() {
    return member;
  }

  public StorageFiles files() {
    return files;
  }

  /** Gives the folder up for another process. */
  @Override
  public void close() {
    lock.close();
  }
}
