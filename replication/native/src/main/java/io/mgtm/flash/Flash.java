package io.mgtm.flash;

import io.mgtm.jni.Availability;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Opens files and queues. Any thread. */
public final class Flash {

  private Flash() {}

  /** Whether {@link FlashEngine#IO_URING} works in this process, and why not. */
  public static Availability available() {
    return Availability.no("io_uring is not built in yet");
  }

  /**
   * Opens a file or block device.
   *
   * @throws FlashException when the system refuses, or {@link FlashEngine#IO_URING} is asked for
   *     and not available (ENOSYS, with the reason as its cause)
   */
  public static FlashFile open(Path path, FlashOptions options) throws FlashException {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(options, "options");
    return ChannelFile.open(path.toAbsolutePath(), options);
  }

  /**
   * Opens a queue for the thread that will use it first.
   *
   * @param depth how many operations it holds, from 1 to {@link FlashQueue#DEPTH_MAX}
   * @param files what it may read and write, all of one engine; 1 to 64
   * @param pools whose buffers it may use; up to 64
   * @throws FlashException when the kernel refuses to set it up
   * @throws IllegalArgumentException when a number or a mix of engines is not allowed
   * @throws IllegalStateException when a file is closed
   */
  public static FlashQueue openQueue(int depth, List<FlashFile> files, List<BufferPool> pools)
      throws FlashException {
    if (depth < 1 || depth > FlashQueue.DEPTH_MAX) {
      throw new IllegalArgumentException(
          "a queue holds 1 to " + FlashQueue.DEPTH_MAX + " operations, not " + depth);
    }
    if (files.isEmpty() || files.size() > 64 || pools.size() > 64) {
      throw new IllegalArgumentException(
          "a queue has 1 to 64 files and up to 64 pools, not "
              + files.size()
              + " and "
              + pools.size());
    }
    if (files.stream().map(FlashFile::engine).distinct().count() != 1) {
      throw new IllegalArgumentException("the files of a queue must be of one engine: " + files);
    }
    return new ChannelQueue(depth, new Targets(files, pools));
  }
}
