package io.mgtm.ha.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The folder of one controller's runtime files for as long as it lives, however it dies: two that
 * shared one would feed one watchdog, each with its own leases.
 */
final class RuntimeFolder implements AutoCloseable {
  private static final String LOCK = "controller.lock";

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
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (isLocked(channel)) {
      return new RuntimeFolder(channel);
    }
    channel.close();
    throw new IOException(
        "another controller uses the folder %s for what it has in service; give each a --runtime of its own"
            .formatted(folder));
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
