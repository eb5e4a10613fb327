package io.mgtm.flash;

import io.mgtm.jni.Availability;
import io.mgtm.jni.Errno;
import io.mgtm.jni.NativeLibrary;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Opens files and queues. Any thread. */
public final class Flash {

  private Flash() {}

  /** Whether {@link FlashEngine#IO_URING} works in this process, and why not. */
  public static Availability available() {
    return Ring.AVAILABLE;
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
    Path absolute = path.toAbsolutePath();
    if (options.engine() == FlashEngine.FILE_CHANNEL) {
      return ChannelFile.open(absolute, options);
    }
    if (available().usable()) {
      return UringFile.open(absolute, options);
    }
    if (options.engine() == FlashEngine.IO_URING) {
      Throwable why = new UnsupportedOperationException(available().reason());
      throw new FlashException("open by io_uring", absolute, -1, -1, Errno.ENOSYS, why);
    }
    return ChannelFile.open(absolute, options);
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
    Targets targets = new Targets(files, pools);
    if (targets.file(0).engine() == FlashEngine.FILE_CHANNEL) {
      return new ChannelQueue(depth, targets);
    }
    try {
      return UringQueue.open(depth, targets);
    } catch (FlashException | RuntimeException e) {
      targets.release();
      throw e;
    }
  }

  /** Found out once, when it is first asked for. */
  private static final class Ring {
    static final Availability AVAILABLE = examine();

    private static Availability examine() {
      Availability library = NativeLibrary.load("mgtm_flash");
      int answer = library.usable() ? RingCalls.probe() : 0;
      if (answer == 0) {
        return library;
      }
      Errno errno = Errno.of(-answer);
      return Availability.no(
          "io_uring_setup fails with " + errno + " (" + errno.text() + "): " + advice(errno));
    }

    private static String advice(Errno errno) {
      return errno == Errno.ENOMEM
          ? "raise the limit of locked memory (ulimit -l)"
          : "allow it (sysctl kernel.io_uring_disabled=0, the container's seccomp profile)"
              + " or use Linux 5.11 or newer";
    }
  }
}
