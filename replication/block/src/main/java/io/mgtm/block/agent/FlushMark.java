package io.mgtm.block.agent;

import io.mgtm.block.intent.BitmapFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Whether a flush was under way when the process ended: {@code flush-mark} in the metadata, mapped
 * into memory, so that to set and to clear it costs no system call. The page cache keeps it when
 * the process is killed. A restart of the machine makes it void, for then the page cache is gone,
 * and what is read is what the disk has.
 *
 * <p>A flush that failed, and whose failure was not written down before the process was killed,
 * would else look like one that was cut short: the system has dropped what it could not write, and
 * says so only once.
 */
final class FlushMark {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** The file's name in the metadata. */
  static final String NAME = "flush-mark";

  private static final int BYTES = 64;
  private static final byte CLEAR = '-';
  private static final byte SET = 'F';

  private final MappedByteBuffer page;
  private final boolean sameBoot;
  private final boolean found;

  private FlushMark(MappedByteBuffer page, boolean sameBoot, boolean found) {
    this.page = page;
    this.sameBoot = sameBoot;
    this.found = found;
  }

  /** Opens the mark in {@code folder}; one that another start of the machine left is void. */
  static FlushMark open(Path folder) throws IOException {
    return open(folder.resolve(NAME), bootId());
  }

  static FlushMark open(Path file, byte[] boot) throws IOException {
    byte[] before = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    boolean same =
        before.length == BYTES
            && Arrays.equals(Arrays.copyOfRange(before, 1, BYTES), Arrays.copyOf(boot, BYTES - 1));
    boolean damaged = Files.exists(file) && before.length != BYTES;
    boolean set = damaged || (same && before[0] != CLEAR);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (!same) {
        // Its block must be there: a page of a mapped file that finds no room ends the process.
        byte[] fresh = new byte[BYTES];
        fresh[0] = CLEAR;
        System.arraycopy(boot, 0, fresh, 1, Math.min(boot.length, BYTES - 1));
        writeWhole(file, channel, fresh);
      }
      MappedByteBuffer page = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
      return new FlushMark(page, same || damaged, set);
    }
  }

  private static void writeWhole(Path file, FileChannel channel, byte[] bytes) throws IOException {
    try {
      channel.write(ByteBuffer.wrap(bytes), 0);
      channel.truncate(bytes.length);
      channel.force(true);
    } catch (IOException e) {
      throw BitmapFile.notWritten(file.toString(), e);
    }
  }

  /** The machine's present run, all zeros where the system does not tell. */
  private static byte[] bootId() throws IOException {
    return Files.exists(BOOT_ID)
        ? Files.readString(BOOT_ID).strip().getBytes(StandardCharsets.US_ASCII)
        : new byte[0];
  }

  /** Whether the machine runs on since the volume was last open, as far as can be told. */
  boolean isSameBoot() {
    return sameBoot;
  }

  /** Whether it was set when the process before this one ended, and the machine runs on. */
  boolean wasSet() {
    return found;
  }

  /** A flush begins. */
  void set() {
    page.put(0, SET);
  }

  /** The disk has all that it should. */
  void clear() {
    page.put(0, CLEAR);
  }
}
