package io.mgtm.block.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Locks files and devices against a second agent, and tells their size. */
public final class FileLocks {
  private FileLocks() {}

  /**
   * The lock on the whole of {@code path}, open as {@code channel}.
   *
   * @throws IOException when somebody has it
   */
  public static FileLock take(Path path, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      throw new IOException("another volume of this process uses " + path + "; stop it first", e);
    }
    if (lock == null) {
      throw new IOException("another process uses " + path + "; stop it first");
    }
    return lock;
  }

  /** The size of a file or block device; for the latter {@code size()} answers 0. */
  static long sizeOf(Path path, FileChannel channel) throws IOException {
    if (Files.isRegularFile(path)) {
      return channel.size();
    }
    Path size = Path.of("/sys/class/block", path.toRealPath().getFileName().toString(), "size");
    return Long.parseLong(Files.readString(size).strip()) * 512;
  }

  /** Refuses to make something larger that is not a file; {@code present} is its size. */
  static void checkMayGrow(Path path, long present, long sizeBytes) throws IOException {
    if (present < sizeBytes && !Files.isRegularFile(path)) {
      throw new IOException(
          path + " is a device of " + present + " bytes; make it larger, then resize the volume");
    }
  }
}
