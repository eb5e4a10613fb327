package io.mgtm.block.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What dm-log-writes noted, and what a disk has of it that loses its power. Little-endian sectors
 * of 512 bytes: first the magic number, the version, how many entries there are and the size of a
 * sector; then each entry (sector, sectors, flags, length of what follows in its sector), and its
 * data. A write stands before the flush that came after it; what no flush came after stands last.
 *
 * <p>Format: drivers/md/dm-log-writes.c of Linux.
 */
final class WriteLog {
  private static final long MAGIC = 0x6a736677736872L;
  private static final int SECTOR = 512;
  private static final long FLUSH = 1;
  private static final long FUA = 2;
  private static final long DISCARD = 4;
  private static final long MARK = 8;

  private record Entry(long sector, int sectors, long flags, long dataAt) {
    boolean has(long flag) {
      return (flags & flag) != 0;
    }
  }

  private final Path file;

  WriteLog(Path file) {
    this.file = file;
  }

  /** Brings {@code image} to a state that the disk may have; answers what was done. */
  String replay(Path image, Random random) throws IOException {
    try (FileChannel log = FileChannel.open(file);
        FileChannel disk = FileChannel.open(image, StandardOpenOption.WRITE)) {
      List<Entry> entries = entries(log);
      int durable = 0;
      for (int i = 0; i < entries.size(); i++) {
        if (entries.get(i).has(FLUSH) || entries.get(i).has(FUA)) {
          durable = i + 1;
        }
      }
      for (Entry entry : entries.subList(0, durable)) {
        apply(log, disk, entry, 0, entry.sectors);
      }
      List<Entry> loose = entries.subList(durable, entries.size());
      int kept = 0;
      // Nothing of it, all of it, or any part.
      int way = random.nextInt(4);
      for (Entry entry : loose) {
        int chance = way == 0 ? 99 : way == 1 ? 0 : random.nextInt(100);
        if (chance < 45) {
          apply(log, disk, entry, 0, entry.sectors);
          kept++;
        } else if (chance < 60) {
          int from = random.nextInt(entry.sectors + 1);
          apply(log, disk, entry, from, from + random.nextInt(entry.sectors - from + 1));
          kept++;
        }
      }
      return "%d writes flushed, %d of %d others kept".formatted(durable, kept, loose.size());
    }
  }

  private static List<Entry> entries(FileChannel log) throws IOException {
    ByteBuffer first = read(log, 0, SECTOR);
    if (first.getLong() != MAGIC) {
      throw new IOException("this is no log of dm-log-writes");
    }
    first.getLong();
    long count = first.getLong();
    int sectorBytes = first.getInt();
    List<Entry> entries = new ArrayList<>();
    long at = sectorBytes;
    for (long i = 0; i < count; i++) {
      ByteBuffer head = read(log, at, 32);
      Entry entry =
          new Entry(head.getLong(), (int) head.getLong(), head.getLong(), at + sectorBytes);
      if (entry.has(DISCARD)) {
        throw new IOException("a discard: mount without that option");
      }
      at = entry.dataAt + (entry.has(MARK) ? 0 : (long) entry.sectors * SECTOR);
      if (!entry.has(MARK)) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private static void apply(FileChannel log, FileChannel disk, Entry entry, int from, int to) {
    if (to > from) {
      try {
        ByteBuffer data = read(log, entry.dataAt + (long) from * SECTOR, (to - from) * SECTOR);
        disk.write(data, (entry.sector + from) * SECTOR);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static ByteBuffer read(FileChannel log, long at, int length) throws IOException {
    ByteBuffer data = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (data.hasRemaining() && log.read(data, at + data.position()) >= 0) {}
    if (data.hasRemaining()) {
      throw new IOException("the log ends within an entry");
    }
    return data.flip();
  }
}
