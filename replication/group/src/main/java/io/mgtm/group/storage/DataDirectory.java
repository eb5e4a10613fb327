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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member's data folder: exists, is ours, can be written, and belongs to this process alone until
 * it is closed.
 */
public final class DataDirectory implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DataDirectory.class);
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
        forceAncestors(folder);
        FolderFormat.write(files, UUID.randomUUID());
      }
      FolderFormat.renew(files);
      return new DataDirectory(folder, lock, files, FolderFormat.read(files));
    } catch (LogException e) {
      lock.close();
      throw e;
    }
  }

  /** Whether a folder is a member's already. */
  public static boolean isIn(Path folder) {
    return Files.exists(folder.resolve(FolderFormat.NAME));
  }

  private static void create(Path folder) {
    if (Files.isDirectory(folder)) {
      return;
    }
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw new LogException(
          Category.ACCESS, "%s is a file; choose a folder for the data".formatted(e.getFile()), e);
    } catch (IOException e) {
      throw IoErrors.of("create", folder, e);
    }
  }

  /**
   * Forces the names of all folders above, whoever made them: a folder that holds the format file
   * does not vanish with them. One that this user cannot read cannot have been made by this user,
   * and is left out.
   */
  private static void forceAncestors(Path folder) {
    for (Path above = folder.getParent(); above != null; above = above.getParent()) {
      if (Files.isReadable(above)) {
        try {
          DiskFiles.forceDirectory(above);
        } catch (LogException e) {
          log.warn("The path of the data folder may not survive a power loss: {}", e.getMessage());
        }
      }
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
