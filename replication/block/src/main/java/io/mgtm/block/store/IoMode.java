package io.mgtm.block.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** The way of a volume's bytes to its file or device. */
public enum IoMode {
  /** Through the page cache, on the owner's thread: a write is a copy. */
  CACHE,
  /** Through the page cache by io_uring, on a thread of its own. */
  URING,
  /** Past the page cache by io_uring (O_DIRECT): the kernel keeps no copy. */
  DIRECT;

  /**
   * Opens an existing file or device, locked against a second agent.
   *
   * @param owner runs a task on the volume's owner thread
   * @throws IOException when it cannot be opened this way, or another process holds it
   */
  public BackingStore open(Path path, Executor owner) throws IOException {
    return switch (this) {
      case CACHE -> FileChannelStore.open(path, owner);
      case URING -> FlashStore.open(path, false, owner, new EdgeLocks());
      case DIRECT -> FlashStore.open(path, true, owner, new EdgeLocks());
    };
  }
}
