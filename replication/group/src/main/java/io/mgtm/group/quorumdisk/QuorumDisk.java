package io.mgtm.group.quorumdisk;

import com.sun.nio.file.ExtendedOpenOption;
import io.mgtm.common.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A quorum disk: a partition, a LUN, or a file, that all of a pair's machines reach. What is
 * written is on it on return, and what is read comes from it and from no cache. One thread.
 *
 * <p>Every method throws {@link DiskException} with a part of a sentence that begins with the disk.
 */
public final class QuorumDisk implements AutoCloseable {
  /** The name of the member that it is in a group. */
  public static final String MEMBER = "quorum-disk";

  /** Of words at most. */
  static final int WORDS_BYTES_MAX = DiskImage.CONTENT_BYTES_MAX;

  /** Direct access wants buffers and offsets to be so aligned, on all disks that there are. */
  private static final int ALIGNED = 4 << 10;

  /** Of a file's mode. */
  private static final int TYPES = 0xF000;

  private static final int FILE = 0x8000;
  private static final int BLOCK_DEVICE = 0x6000;

  private final Path path;
  private final FileChannel channel;
  private final ByteBuffer reading = aligned(DiskImage.BYTES);
  private final ByteBuffer writing = aligned(DiskImage.HALF_BYTES);

  private QuorumDisk(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  private static ByteBuffer aligned(int bytes) {
    return ByteBuffer.allocateDirect(bytes + ALIGNED).alignedSlice(ALIGNED).limit(bytes).slice();
  }

  /** Opens one that was made. */
  public static QuorumDisk open(Path path) throws DiskException {
    return open(path, Set.of());
  }

  private static QuorumDisk open(Path path, Set<OpenOption> more) throws DiskException {
    refuseNoDisk(path);
    List<OpenOption> options = new ArrayList<>(more);
    options.add(StandardOpenOption.READ);
    options.add(StandardOpenOption.WRITE);
    options.add(StandardOpenOption.DSYNC);
    options.add(ExtendedOpenOption.DIRECT);
    try {
      return new QuorumDisk(path, FileChannel.open(path, options.toArray(OpenOption[]::new)));
    } catch (UnsupportedOperationException e) {
      throw new DiskException(
          "%s cannot be read without a cache (O_DIRECT); take a partition or LUN, or a file on a disk's file system"
              .formatted(path),
          e);
    } catch (IOException e) {
      throw failed("open", path, e);
    }
  }

  private static int type(Path path) throws IOException {
    return Files.exists(path) ? (int) Files.getAttribute(path, "unix:mode") & TYPES : FILE;
  }

  /** A pipe would be waited for. */
  private static void refuseNoDisk(Path path) throws DiskException {
    try {
      int type = type(path);
      if (type != FILE && type != BLOCK_DEVICE) {
        throw new DiskException("%s is neither a block device nor a file".formatted(path));
      }
    } catch (DiskException e) {
      throw e;
    } catch (IOException e) {
      throw failed("open", path, e);
    }
  }

  private static DiskException failed(String doing, Path path, IOException cause) {
    return new DiskException(
        "cannot %s %s: %s".formatted(doing, path, FileErrors.reason(cause)), cause);
  }

  /**
   * Makes a disk of a partition, LUN or file, which a node's first start needs; a file is made when
   * there is none.
   *
   * @param nodes of the pair, one slot for each
   * @param force also when there is something on it
   */
  public static void create(Path path, String cluster, List<String> nodes, boolean force)
      throws DiskException {
    boolean exists = Files.exists(path);
    if (exists) {
      refuseUsed(path);
    }
    if (exists && !force && !isBlank(path)) {
      throw new DiskException(
          "%s is not empty; look what is on it, and name another or say --force".formatted(path));
    }
    try (QuorumDisk disk = open(path, exists ? Set.of() : Set.of(StandardOpenOption.CREATE_NEW))) {
      byte[] header = DiskImage.header(UUID.randomUUID(), cluster, nodes);
      // Without a header nobody takes it for one until all of it is there.
      disk.store(0, ByteBuffer.allocate(DiskImage.HALF_BYTES));
      disk.store(DiskImage.HALF_BYTES, ByteBuffer.allocate(DiskImage.HALF_BYTES));
      for (int slot = 0; slot < DiskImage.SLOTS_MAX; slot++) {
        disk.begin(slot);
      }
      for (long number = 1; number <= 2; number++) {
        disk.store(DiskImage.headerOffset(number), DiskImage.half(number, header));
      }
    }
  }

  /** Whether a path is a quorum disk that a group has vote. */
  public static boolean votes(Path path) {
    try (QuorumDisk disk = open(path)) {
      return disk.read().votes();
    } catch (DiskException e) {
      return false; // it is none, or nobody can read its votes
    }
  }

  private static void refuseUsed(Path path) throws DiskException {
    try {
      Optional<String> use = DiskUse.OF_THIS_MACHINE.of(path, type(path) == BLOCK_DEVICE);
      if (use.isPresent()) {
        throw new DiskException("%s is in use: %s".formatted(path, use.get()));
      }
    } catch (DiskException e) {
      throw e;
    } catch (IOException e) {
      throw failed("look for the use of", path, e);
    }
  }

  private static boolean isBlank(Path path) throws DiskException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
      while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {}
      for (bytes.flip(); bytes.hasRemaining(); ) {
        if (bytes.get() != 0) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw failed("read", path, e);
    }
  }

  private void begin(int slot) throws DiskException {
    store(DiskImage.offset(slot, 1), ByteBuffer.allocate(DiskImage.HALF_BYTES));
    store(DiskImage.offset(slot, 0), DiskImage.half(0, new byte[0]));
  }

  /**
   * Gives a node another slot: its data folder is a new one. What its former folder has bound the
   * disk to still counts.
   */
  public static void renew(Path path, String node) throws DiskException {
    try (QuorumDisk disk = open(path)) {
      DiskImage image = disk.read();
      if (image.nodes().size() == DiskImage.SLOTS_MAX) {
        throw new DiskException(
            "%s has no slot left after %d machines; make it anew"
                .formatted(path, DiskImage.SLOTS_MAX));
      }
      List<String> nodes = new ArrayList<>(image.nodes());
      nodes.add(node);
      disk.begin(nodes.size() - 1);
      long number = image.header() + 1;
      byte[] header = DiskImage.header(image.disk(), image.cluster(), nodes);
      disk.store(DiskImage.headerOffset(number), DiskImage.half(number, header));
    }
  }

  /** All that is said on it. */
  DiskImage read() throws DiskException {
    read(0, DiskImage.offset(0, 0));
    try {
      int end = DiskImage.offset(DiskImage.slots(reading.clear()), 0);
      read(DiskImage.offset(0, 0), end);
      return DiskImage.of(reading.clear().limit(end));
    } catch (DamageException e) {
      throw new DiskException("%s: %s".formatted(path, e.getMessage()), e);
    }
  }

  private void read(int from, int end) throws DiskException {
    ByteBuffer into = reading.clear().limit(end).position(from);
    try {
      while (into.hasRemaining()) {
        if (channel.read(into, into.position()) <= 0) {
          throw new IOException("it ends after %d bytes".formatted(into.position()));
        }
      }
    } catch (IOException e) {
      throw failed("read", path, e);
    }
  }

  /** Writes a content of a slot. */
  void write(int slot, long number, byte[] content) throws DiskException {
    store(DiskImage.offset(slot, number), DiskImage.half(number, content));
  }

  private void store(int offset, ByteBuffer half) throws DiskException {
    ByteBuffer from = writing.clear().put(half).flip();
    try {
      while (from.hasRemaining()) {
        channel.write(from, offset + from.position());
      }
    } catch (IOException e) {
      throw failed("write", path, e);
    }
  }

  /** What is on it, a line each, for an operator. */
  public List<String> describe() throws DiskException {
    DiskImage image = read();
    List<String> lines = new ArrayList<>();
    lines.add(
        "disk %s of cluster %s, %s"
            .formatted(
                image.disk(), image.cluster(), image.votes() ? "votes" : "does not vote yet"));
    for (int slot = 0; slot < image.nodes().size(); slot++) {
      String node = image.nodes().get(slot);
      boolean former = image.slotOf(node) != slot;
      String what =
          image.said().get(slot).words().map(Words::describe).orElse("has not been used yet");
      lines.add("%s%s: %s".formatted(node, former ? " (a former machine)" : "", what));
    }
    return lines;
  }

  @Override
  public void close() throws DiskException {
    try {
      channel.close();
    } catch (IOException e) {
      throw failed("close", path, e);
    }
  }
}
