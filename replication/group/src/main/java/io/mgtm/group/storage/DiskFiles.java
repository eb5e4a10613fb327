package io.mgtm.group.storage;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The files of a folder on a real disk. */
public final class DiskFiles implements StorageFiles {
  /** Zeros are synced in pieces, so that a force of the log never queues behind a whole segment. */
  private static final int PIECE_BYTES = 4 << 20;

  private static final byte[] ZEROS = new byte[1 << 16];

  private final Path folder;
  private final Path shown;

  public DiskFiles(Path folder) {
    this(folder, folder);
  }

  /** Those of a copy, which are described as the original files. */
  DiskFiles(Path folder, Path original) {
    this.folder = folder;
    this.shown = original;
  }

  @Override
  public List<String> list() {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(path -> path.getFileName().toString()).toList();
    } catch (UncheckedIOException e) {
      throw IoErrors.of("list", folder, e.getCause());
    } catch (IOException e) {
      throw IoErrors.of("list", folder, e);
    }
  }

  @Override
  public MappedFile create(String name, int bytes) {
    Path path = folder.resolve(name);
    try {
      // Asked first, so that a nearly full disk is not filled to the brim only to fail.
      // By File, which needs no mount table (there is none in a chroot) and says 0 when it fails.
      long usableBytes = folder.toFile().getUsableSpace();
      if (usableBytes > 0 && usableBytes < bytes) {
        throw new LogException(
            Category.NO_SPACE,
            "Cannot write %s: the disk has %d bytes left and %d are needed; free some space on it"
                .formatted(path, usableBytes, bytes));
      }
      Files.deleteIfExists(path);
      try (FileChannel channel = FileChannel.open(path, CREATE_NEW, READ, WRITE)) {
        writeZeros(channel, bytes);
        return map(path, channel);
      }
    } catch (IOException e) {
      LogException failure = IoErrors.of("write", path, e);
      try {
        Files.deleteIfExists(path);
      } catch (IOException again) {
        failure.addSuppressed(again);
      }
      throw failure;
    }
  }

  private static void writeZeros(FileChannel channel, int bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.wrap(ZEROS);
    int unsynced = 0;
    for (int left = bytes; left > 0; ) {
      zeros.clear().limit(Math.min(left, ZEROS.length));
      int written = channel.write(zeros);
      left -= written;
      unsynced += written;
      if (unsynced >= PIECE_BYTES || left == 0) {
        channel.force(true);
        unsynced = 0;
      }
    }
  }

  @Override
  public MappedFile map(String name) {
    Path path = folder.resolve(name);
    try (FileChannel channel = FileChannel.open(path, READ, WRITE)) {
      return map(path, channel);
    } catch (IOException e) {
      throw IoErrors.of("open", path, e);
    }
  }

  private static MappedFile map(Path path, FileChannel channel) throws IOException {
    long bytes = channel.size();
    if (bytes > Integer.MAX_VALUE) {
      throw new LogException(
          Category.FORMAT,
          "%s is %d bytes large, more than any file of this log; move it elsewhere"
              .formatted(path, bytes));
    }
    MappedByteBuffer buffer = channel.map(MapMode.READ_WRITE, 0, bytes);
    buffer.order(ByteOrder.LITTLE_ENDIAN);
    return new DiskMapping(path, buffer);
  }

  @Override
  public byte[] read(String name) {
    Path path = folder.resolve(name);
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw IoErrors.of("read", path, e);
    }
  }

  @Override
  public void write(String name, byte[] content) {
    Path path = folder.resolve(name);
    try (FileChannel channel = FileChannel.open(path, CREATE, TRUNCATE_EXISTING, WRITE)) {
      ByteBuffer left = ByteBuffer.wrap(content);
      while (left.hasRemaining()) {
        channel.write(left);
      }
    } catch (IOException e) {
      throw IoErrors.of("write", path, e);
    }
  }

  @Override
  public byte[] read(String name, long offset, int bytes) {
    Path path = folder.resolve(name);
    try (FileChannel channel = FileChannel.open(path, READ)) {
      long left = Math.max(0, channel.size() - offset);
      ByteBuffer to = ByteBuffer.allocate((int) Math.min(bytes, left));
      while (to.hasRemaining()) {
        if (channel.read(to, offset + to.position()) < 0) {
          break;
        }
      }
      return Arrays.copyOf(to.array(), to.position());
    } catch (IOException e) {
      throw IoErrors.of("read", path, e);
    }
  }

  @Override
  public void append(String name, ByteBuffer content) {
    Path path = folder.resolve(name);
    try (FileChannel channel = FileChannel.open(path, CREATE, APPEND)) {
      while (content.hasRemaining()) {
        channel.write(content);
      }
    } catch (IOException e) {
      throw IoErrors.of("write", path, e);
    }
  }

  @Override
  public void force(String name) {
    Path path = folder.resolve(name);
    try (FileChannel channel = FileChannel.open(path, WRITE)) {
      channel.force(true);
    } catch (IOException e) {
      throw IoErrors.of("force", path, e);
    }
  }

  @Override
  public void rename(String from, String to) {
    Path source = folder.resolve(from);
    try {
      Files.move(
          source,
          folder.resolve(to),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw IoErrors.of("rename", source, e);
    }
  }

  @Override
  public void delete(String name) {
    Path path = folder.resolve(name);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw IoErrors.of("remove", path, e);
    }
  }

  @Override
  public void forceDirectory() {
    forceDirectory(folder);
  }

  /**
   * Forces the names in a folder. Any thread.
   *
   * @throws io.mgtm.group.LogException when that fails
   */
  public static void forceDirectory(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw IoErrors.of("force", folder, e);
    }
  }

  @Override
  public String describe(String name) {
    return shown.resolve(name).toString();
  }

  /** A mapped file. The mapping goes when the buffer is collected; segments are reused instead. */
  private record DiskMapping(Path path, MappedByteBuffer mapped) implements MappedFile {
    @Override
    public ByteBuffer buffer() {
      return mapped;
    }

    @Override
    public void zero(int offset, int bytes) {
      for (int done = 0; done < bytes; ) {
        int piece = Math.min(bytes - done, ZEROS.length);
        mapped.put(offset + done, ZEROS, 0, piece);
        done += piece;
      }
    }

    @Override
    public void rewrite(int offset, int bytes) {
      byte[] piece = new byte[Math.min(bytes, ZEROS.length)];
      for (int done = 0; done < bytes; ) {
        int length = Math.min(bytes - done, piece.length);
        mapped.get(offset + done, piece, 0, length);
        mapped.put(offset + done, piece, 0, length);
        done += length;
      }
    }

    @Override
    public void force(int offset, int bytes) {
      try {
        for (int done = 0; done < bytes; ) {
          int piece = Math.min(bytes - done, PIECE_BYTES);
          mapped.force(offset + done, piece);
          done += piece;
        }
      } catch (UncheckedIOException e) {
        throw IoErrors.of("force", path, e.getCause());
      }
    }
  }
}
