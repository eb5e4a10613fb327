package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Exclusive ownership of a folder for as long as the process lives: a lock of the operating system
 * on the file {@code lock}, which goes with the process however it dies. The file also says in
 * words who owns the folder.
 */
final class FolderLock implements AutoCloseable {
  static final String NAME = "lock";

  /** The owner's line has a fixed length, so that writing it needs no room on a full disk. */
  private static final int TEXT_BYTES = 128;

  /**
   * The folders that this process owns. The system's locks are the process's: a second channel on
   * the file would release the first one's lock when it is closed, so none is opened.
   */
  private static final Set<Path> OWNED_HERE = ConcurrentHashMap.newKeySet();

  private final Path realFolder;
  private final FileChannel channel;

  private FolderLock(Path realFolder, FileChannel channel) {
    this.realFolder = realFolder;
    this.channel = channel;
  }

  /**
   * @throws LogException with IN_USE when another process, or another part of this one, owns the
   *     folder; with ACCESS when the folder cannot be written
   */
  static FolderLock acquire(Path folder) {
    return acquire(folder, FolderLock::lock);
  }

  /**
   * Keeps owners away while a folder is read, which is not changed by that and need not be
   * writable.
   *
   * @throws LogException as {@link #acquire} throws
   */
  static FolderLock acquireToRead(Path folder) {
    return acquire(folder, FolderLock::lockToRead);
  }

  private interface Locking {
    /** The channel that holds the lock, or null when nobody ever owned the folder. */
    FileChannel lock(Path folder, Path file) throws IOException;
  }

  private static FolderLock acquire(Path folder, Locking locking) {
    Path file = folder.resolve(NAME);
    Path real;
    try {
      real = folder.toRealPath();
    } catch (IOException e) {
      throw IoErrors.of("open", folder, e);
    }
    if (!OWNED_HERE.add(real)) {
      throw inUse(folder, "this process itself (" + ProcessHandle.current().pid() + ")");
    }
    try {
      return new FolderLock(real, locking.lock(folder, file));
    } catch (IOException e) {
      OWNED_HERE.remove(real);
      throw IoErrors.of("lock", file, e);
    } catch (LogException e) {
      OWNED_HERE.remove(real);
      throw e;
    }
  }

  private static FileChannel lock(Path folder, Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      refuseUnlocked(channel.tryLock(), folder, file);
      writeOwner(channel);
      return channel;
    } catch (IOException | LogException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel lockToRead(Path folder, Path file) throws IOException {
    if (!Files.exists(file)) {
      return null;
    }
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      refuseUnlocked(channel.tryLock(0, Long.MAX_VALUE, true), folder, file);
      return channel;
    } catch (IOException | LogException e) {
      channel.close();
      throw e;
    }
  }

  private static void refuseUnlocked(FileLock lock, Path folder, Path file) throws IOException {
    if (lock == null) {
      throw inUse(folder, "the running process " + Files.readString(file, UTF_8).strip());
    }
  }

  private static void writeOwner(FileChannel channel) throws IOException {
    String owner =
        "%d, started %s"
            .formatted(
                ProcessHandle.current().pid(),
                ProcessHandle.current().info().startInstant().orElseGet(Instant::now));
    byte[] line = ("%-" + (TEXT_BYTES - 1) + "s\n").formatted(owner).getBytes(UTF_8);
    channel.write(ByteBuffer.wrap(line), 0);
    channel.force(true);
  }

  private static LogException inUse(Path folder, String owner) {
    return new LogException(
        Category.IN_USE,
        "The data folder %s belongs to %s; stop it or choose another folder"
            .formatted(folder, owner));
  }

  @Override
  public void close() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw IoErrors.of("unlock", realFolder.resolve(NAME), e);
    } finally {
      OWNED_HERE.remove(realFolder);
    }
  }
}
