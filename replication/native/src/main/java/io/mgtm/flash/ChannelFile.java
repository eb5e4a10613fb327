package io.mgtm.flash;

import io.mgtm.jni.Errno;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** A file by the JDK alone. */
final class ChannelFile extends BaseFile {
  private static final int ZERO_BYTES = 64 * 1024;

  private final ReopeningChannel channel;

  private ChannelFile(Facts facts, ReopeningChannel channel) {
    super(facts, 0, ignored -> closeNow(channel));
    this.channel = channel;
  }

  /** Opens a file; direct I/O is tried and given up as the options say. */
  static ChannelFile open(Path path, FlashOptions options) throws FlashException {
    if (options.direct() != DirectIo.OFF) {
      try {
        return open(path, options, true);
      } catch (UnsupportedOperationException e) {
        if (options.direct() == DirectIo.REQUIRED) {
          throw new FlashException("open for direct I/O", path, -1, -1, Errno.EINVAL, e);
        }
      } catch (FlashException e) {
        boolean refused = e.errno() == Errno.EINVAL || e.errno() == Errno.EOPNOTSUPP;
        if (options.direct() == DirectIo.REQUIRED || !refused) {
          throw e;
        }
      }
    }
    return open(path, options, false);
  }

  /**
   * The JDK's own option for O_DIRECT. It is exported for everybody, but compilers of newer JDKs
   * warn of its name, so it is looked up.
   */
  private static OpenOption directOption() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("this JDK has no option for O_DIRECT", e);
    }
  }

  private static ChannelFile open(Path path, FlashOptions options, boolean direct)
      throws FlashException {
    Set<OpenOption> how = new HashSet<>();
    how.add(StandardOpenOption.READ);
    if (options.writable()) {
      how.add(StandardOpenOption.WRITE);
    }
    if (direct) {
      how.add(directOption());
    }
    Set<OpenOption> first = new HashSet<>(how);
    if (options.create()) {
      first.add(StandardOpenOption.CREATE);
    }
    try {
      if (Files.isDirectory(path)) {
        throw new FlashException("open", path, -1, -1, Errno.EISDIR, null);
      }
      FileChannel channel = FileChannel.open(path, first);
      boolean device = Files.exists(path) && !Files.isRegularFile(path);
      int block = (int) Math.min(4096, Math.max(512, Files.getFileStore(path).getBlockSize()));
      return new ChannelFile(
          new Facts(path, options.writable(), direct, device, direct ? block : 1, block),
          new ReopeningChannel(path, Set.copyOf(how), channel));
    } catch (FlashException e) {
      throw e;
    } catch (IOException e) {
      throw failure("open", path, -1, -1, e);
    }
  }

  /** Carries out a slot's operation and sets its result. */
  void execute(Slot slot) {
    try {
      switch (slot.operation) {
        case READ, WRITE -> transfer(slot);
        case SYNC -> force();
        case DISCARD, ZERO -> zero(slot);
      }
      slot.bytes = (int) (slot.segments > 0 ? slot.done : 0);
    } catch (IOException e) {
      slot.fail(failure(slot.operation.label, path(), slot.place(), slot.extent(), e));
    }
  }

  private void transfer(Slot slot) throws IOException {
    boolean reads = slot.operation == Slot.Operation.READ;
    for (int i = 0; i < slot.segments; i++) {
      ByteBuffer piece = slot.buffers[i].bytes().duplicate();
      piece.limit(slot.starts[i] + slot.lengths[i]).position(slot.starts[i]);
      while (piece.hasRemaining()) {
        long place = slot.offset + slot.done;
        int bytes = channel.use(c -> reads ? c.read(piece, place) : c.write(piece, place));
        if (bytes < 0) {
          return;
        }
        slot.done += bytes;
        if (reads && misaligned(bytes)) {
          return; // direct reads end in the midst of a block only at the file's end
        }
      }
    }
    if (slot.durable) {
      force();
    }
  }

  private void zero(Slot slot) throws IOException {
    if (slot.zeroMode.fastOnly()) {
      slot.fail(Errno.EOPNOTSUPP.code());
      return;
    }
    while (slot.done < slot.length) {
      ByteBuffer piece = Zeros.memory();
      piece.limit((int) Math.min(ZERO_BYTES, slot.length - slot.done));
      long place = slot.offset + slot.done;
      boolean there = slot.zeroMode.unmaps() && isZero(place, piece);
      slot.done += there ? piece.remaining() : channel.use(c -> c.write(piece, place));
    }
  }

  /** What reads as zeros need not be written where space may be given back: a hole stays one. */
  private boolean isZero(long place, ByteBuffer zeros) throws IOException {
    if (direct()) {
      return false;
    }
    ByteBuffer present = ByteBuffer.allocate(zeros.remaining());
    channel.use(c -> c.read(present.clear(), place));
    return present.flip().equals(zeros);
  }

  private void force() throws IOException {
    channel.use(
        c -> {
          c.force(false);
          return null;
        });
  }

  @Override
  public long sizeBytes() throws FlashException {
    return use("size", -1, FileChannel::size);
  }

  @Override
  public void resize(long sizeBytes) throws FlashException {
    checkResize(sizeBytes);
    use(
        "resize",
        sizeBytes,
        c -> {
          try (RandomAccessFile other = new RandomAccessFile(path().toFile(), "rw")) {
            other.setLength(sizeBytes);
          }
          return null;
        });
  }

  @Override
  public void sync() throws FlashException {
    use(
        "sync",
        -1,
        c -> {
          c.force(false);
          return null;
        });
  }

  @Override
  public void prefetch(long offset, long length) throws FlashException {
    checkRange(offset, length);
    // The JDK has no call to ask for it: what was read once is there.
    ByteBuffer scratch = ByteBuffer.allocate((int) Math.min(length, PREFETCH_BYTES_MAX));
    use(
        "prefetch",
        length,
        c -> {
          long done = 0;
          int bytes = direct() ? -1 : 0;
          while (bytes >= 0 && done < length) {
            scratch.clear().limit((int) Math.min(scratch.capacity(), length - done));
            bytes = c.read(scratch, offset + done);
            done += bytes;
          }
          return null;
        });
  }

  @Override
  public void evict() throws FlashException {
    use("evict", -1, c -> null);
  }

  @Override
  public long nextData(long offset) throws FlashException {
    checkNotNegative("an offset", offset);
    return Math.min(offset, sizeBytes());
  }

  @Override
  public long nextHole(long offset) throws FlashException {
    checkNotNegative("an offset", offset);
    return sizeBytes();
  }

  private <T> T use(String operation, long length, ReopeningChannel.Use<T> use)
      throws FlashException {
    acquire();
    try {
      return channel.use(use);
    } catch (IOException e) {
      throw failure(operation, path(), -1, length, e);
    } finally {
      release();
    }
  }

  @Override
  public FlashEngine engine() {
    return FlashEngine.FILE_CHANNEL;
  }

  private static void closeNow(ReopeningChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The JDK tells the system's error by its sentence or by the exception's type. */
  private static FlashException failure(
      String operation, Path path, long offset, long length, IOException e) {
    Errno errno = Errno.ofText(String.valueOf(e.getMessage()));
    if (e instanceof NoSuchFileException) {
      errno = Errno.ENOENT;
    } else if (e instanceof AccessDeniedException) {
      errno = Errno.EACCES;
    } else if (e instanceof FileSystemException f) {
      errno = Errno.ofText(String.valueOf(f.getReason()));
    }
    return new FlashException(operation, path, offset, length, errno, e);
  }
}
