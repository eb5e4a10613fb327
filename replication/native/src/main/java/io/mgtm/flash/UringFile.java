package io.mgtm.flash;

import io.mgtm.jni.Errno;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** A file by its descriptor, whose I/O goes through a {@link UringQueue}. */
final class UringFile extends BaseFile {

  private static final Charset PATH_CHARSET =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  private UringFile(Facts facts, int fd) {
    super(facts, fd, UringFile::closeNow);
  }

  static UringFile open(Path path, FlashOptions options) throws FlashException {
    if (options.direct() != DirectIo.OFF) {
      UringFile file = open(path, options, true);
      if (file != null) {
        return file;
      }
      if (options.direct() == DirectIo.REQUIRED) {
        throw new FlashException("open for direct I/O", path, -1, -1, Errno.EINVAL.code());
      }
    }
    return open(path, options, false);
  }

  /** Opens it, or answers {@code null} when the file system does not allow direct I/O. */
  private static UringFile open(Path path, FlashOptions options, boolean direct)
      throws FlashException {
    int how = options.writable() ? FileCalls.WRITABLE : 0;
    how |= options.create() ? FileCalls.CREATE : 0;
    how |= direct ? FileCalls.DIRECT : 0;
    int fd = FileCalls.open(path.toString().getBytes(PATH_CHARSET), how);
    if (direct && fd == -Errno.EINVAL.code()) {
      return null;
    }
    check("open", path, fd);
    boolean kept = false;
    try {
      long[] facts = new long[3];
      check("examine", path, FileCalls.facts(fd, facts));
      if (facts[0] == FileCalls.DIRECTORY || facts[0] == FileCalls.OTHER) {
        Errno errno = facts[0] == FileCalls.OTHER ? Errno.EINVAL : Errno.EISDIR;
        throw new FlashException("open", path, -1, -1, errno.code());
      }
      if (direct && (facts[2] == 0 || facts[2] > BufferPool.ALIGNMENT_BYTES)) {
        return null;
      }
      boolean device = facts[0] == FileCalls.BLOCK_DEVICE;
      int alignment = direct ? (int) facts[2] : 1;
      kept = true;
      return new UringFile(
          new Facts(path, options.writable(), direct, device, alignment, (int) facts[1]), fd);
    } finally {
      if (!kept) {
        FileCalls.close(fd);
      }
    }
  }

  private static void closeNow(long fd) {
    FileCalls.close((int) fd);
  }

  private static long check(String operation, Path path, long answer) throws FlashException {
    if (answer < 0) {
      throw new FlashException(operation, path, -1, -1, (int) -answer);
    }
    return answer;
  }

  /** Discards a part of a block device, and waits for it; answers an errno as a negative number. */
  int discardNow(long offset, long length) {
    int fd = (int) acquire();
    try {
      return FileCalls.discard(fd, offset, length);
    } finally {
      release();
    }
  }

  @Override
  public long sizeBytes() throws FlashException {
    int fd = (int) acquire();
    try {
      return check("size", path(), FileCalls.size(fd, blockDevice()));
    } finally {
      release();
    }
  }

  @Override
  public void resize(long sizeBytes) throws FlashException {
    checkResize(sizeBytes);
    int fd = (int) acquire();
    try {
      int answer = FileCalls.resize(fd, sizeBytes);
      if (answer < 0) {
        throw new FlashException("resize", path(), -1, sizeBytes, -answer);
      }
    } finally {
      release();
    }
  }

  @Override
  public void sync() throws FlashException {
    int fd = (int) acquire();
    try {
      check("sync", path(), FileCalls.sync(fd));
    } finally {
      release();
    }
  }

  @Override
  public void prefetch(long offset, long length) throws FlashException {
    checkRange(offset, length);
    int fd = (int) acquire();
    try {
      // To the system a length of 0 is all of the file.
      int answer = direct() || length == 0 ? 0 : FileCalls.prefetch(fd, offset, length);
      if (answer < 0) {
        throw new FlashException("prefetch", path(), offset, length, -answer);
      }
    } finally {
      release();
    }
  }

  @Override
  public void evict() throws FlashException {
    int fd = (int) acquire();
    try {
      check("evict", path(), direct() ? 0 : FileCalls.evict(fd));
    } finally {
      release();
    }
  }

  @Override
  public long nextData(long offset) throws FlashException {
    return seek(offset, false);
  }

  @Override
  public long nextHole(long offset) throws FlashException {
    return seek(offset, true);
  }

  private long seek(long offset, boolean hole) throws FlashException {
    checkNotNegative("an offset", offset);
    int fd = (int) acquire();
    try {
      long size = check("size", path(), FileCalls.size(fd, blockDevice()));
      if (offset >= size) {
        return size;
      }
      long answer = FileCalls.seek(fd, offset, hole);
      if (answer == -Errno.ENXIO.code()) {
        return size; // nothing but a hole follows
      }
      if (answer == -Errno.EINVAL.code() || answer == -Errno.EOPNOTSUPP.code()) {
        return hole ? size : offset; // it cannot tell
      }
      if (answer < 0) {
        throw new FlashException(
            hole ? "seek hole" : "seek data", path(), offset, -1, (int) -answer);
      }
      return answer;
    } finally {
      release();
    }
  }

  @Override
  public FlashEngine engine() {
    return FlashEngine.IO_URING;
  }
}
