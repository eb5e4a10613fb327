package io.mgtm.ha.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A folder of one controller for as long as it lives, however it dies. Two that shared one for
 * their runtime files would feed one watchdog, each with its own leases; and of one that cannot
 * have its data nothing is counted or written.
 */
final class RuntimeFolder implements AutoCloseable {
  private static final String LOCK = "controller.lock";
  private static final String DATA_LOCK = "data.lock";

  private final FileChannel channel;

  private RuntimeFolder(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes a folder, and makes it where it is missing.
   *
   * @throws IOException when another controller has it, or it cannot be used
   */
  static RuntimeFolder take(Path folder) throws IOException {
    return take(
        folder,
        LOCK,
        "another controller uses the folder %s for what it has in service; give each a --runtime of its own");
  }

  /** The same of the folder with its log. */
  static RuntimeFolder takeData(Path folder) throws IOException {
    return take(folder, DATA_LOCK, "another controller uses %s; give each a --data of its own");
  }

  private static RuntimeFolder take(Path folder, String lock, String taken) throws IOException {
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(folder.resolve(lock), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (isLocked(channel)) {
      return new RuntimeFolder(channel);
    }
    channel.close();
    throw new IOException(taken.formatted(folder));
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // A controller within this process has it.
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
