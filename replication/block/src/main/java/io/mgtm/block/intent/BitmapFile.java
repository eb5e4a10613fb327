package io.mgtm.block.intent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The file of one bitmap.
 *
 * <pre>
 * page 0   "MGTMBITS" | version 32 | chunk bytes 32 | chunks 64 | opening 64 | its id 64 | crc32c
 * page n   8 sectors of 512 bytes, each: bits of 4032 chunks | crc32c 32 | 0 32
 * </pre>
 *
 * <p>A page is 4096 bytes; the lowest chunk is in the lowest bit of a sector's first byte, and what
 * is not text is big-endian. A sector's checksum is over its number, 64 bits, and its bits. A disk
 * writes a sector whole or not at all, so a page torn by a crash passes, and holds in each sector
 * the bits before or after a batch; both are safe, for a write waits for its bit, and a cleared bit
 * was not needed any more. What fails a check was damaged: the bits are lost.
 *
 * <p>The header's checksum is over all before it. It names the opening of the metadata in which the
 * file is written, so that a file from an earlier one is told from the present.
 *
 * <p>Version 2 named no opening; version 1 had 32768 chunks a page and no checksums of sectors
 * either. Whoever opens a file calls {@link #begin} before anything else. One thread at a time.
 */
public final class BitmapFile implements AutoCloseable {
  /** Bytes of a page in the file. */
  static final int FILE_PAGE_BYTES = 4096;

  private static final long MAGIC = 0x4d47544d42495453L;
  private static final int VERSION = 3;
  private static final int HEADER_BYTES = 44;
  private static final int HEADER_BYTES_WITHOUT_OPENING = 28;
  private static final int SECTOR_BYTES = 512;
  private static final int SECTORS = FILE_PAGE_BYTES / SECTOR_BYTES;
  private static final int SECTOR_BITS_BYTES = IntentBitmap.PAGE_BYTES / SECTORS;

  /** The file is not there, too short, or fails a checksum: nobody knows which bits were set. */
  public static final class Damage extends IOException {
    private static final long serialVersionUID = 1L;

    /** Says what file is damaged, and how. */
    public Damage(String message) {
      super(message);
    }
  }

  private final String name;
  private final FileChannel channel;
  private final int chunkBytes;
  private int chunks;
  private Opening opening;

  private BitmapFile(
      String name, FileChannel channel, int chunkBytes, int chunks, Opening opening) {
    this.name = name;
    this.channel = channel;
    this.chunkBytes = chunkBytes;
    this.chunks = chunks;
    this.opening = opening;
  }

  /** Creates the file durably, with no bit set, in place of one that is there. */
  public static BitmapFile create(Path path, int chunkBytes, int chunks, Opening opening)
      throws IOException {
    return create(path, chunkBytes, new IntentBitmap(chunks), opening);
  }

  private static BitmapFile create(Path path, int chunkBytes, IntentBitmap bits, Opening opening)
      throws IOException {
    Path temporary = path.resolveSibling(path.getFileName() + ".new");
    FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      BitmapFile file = format(path.toString(), channel, chunkBytes, bits, opening);
      Files.move(
          temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      try (FileChannel folder =
          FileChannel.open(path.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
        folder.force(true);
      }
      return file;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Writes a whole file durably.
   *
   * @param channel empty, and the new file's from here on
   */
  public static BitmapFile format(
      String name, FileChannel channel, int chunkBytes, IntentBitmap bits, Opening opening)
      throws IOException {
    BitmapFile file = new BitmapFile(name, channel, chunkBytes, bits.size(), opening);
    file.writeWhole(bits);
    return file;
  }

  /**
   * Opens the file and loads its bits into {@code bitmap}, which is empty.
   *
   * @throws Damage when its bits cannot be relied on, or are for other chunks; {@code bitmap} is
   *     then of no use
   * @throws IOException when it cannot be read or written
   */
  public static BitmapFile open(Path path, int chunkBytes, IntentBitmap bitmap) throws IOException {
    if (!Files.exists(path)) {
      throw new Damage(path + " is missing");
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      BitmapFile file = open(path.toString(), channel, chunkBytes, bitmap);
      if (file != null) {
        return file;
      }
      channel.close();
      return create(path, chunkBytes, bitmap, Opening.NONE);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Loads the bits of an open file into {@code bitmap}, which is empty; answers null when the file
   * is of version 1 and is to be written anew.
   */
  public static BitmapFile open(
      String name, FileChannel channel, int chunkBytes, IntentBitmap bitmap) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    readFully(channel, header, 0);
    header.clear();
    int version = header.getInt(8);
    int sumAt = sumAt(version);
    if (header.getLong(0) != MAGIC || header.getInt(sumAt) != crc(header, sumAt)) {
      throw new Damage(name + " is damaged: its header fails the checksum");
    }
    long chunks = header.getLong(16);
    if (version < 1 || version > VERSION) {
      throw new Damage(name + " has version " + version + ", this program knows " + VERSION);
    }
    if (header.getInt(12) != chunkBytes || chunks < bitmap.size() || chunks > Integer.MAX_VALUE) {
      throw new Damage(
          name
              + " is for "
              + chunks
              + " chunks of "
              + header.getInt(12)
              + " bytes, the volume has "
              + bitmap.size()
              + " of "
              + chunkBytes);
    }
    if (version == 1) {
      loadVersion1(name, channel, bitmap, (int) chunks);
      return null;
    }
    load(name, channel, bitmap, (int) chunks);
    Opening opening =
        version < VERSION ? Opening.NONE : new Opening(header.getLong(24), header.getLong(32));
    return new BitmapFile(name, channel, chunkBytes, (int) chunks, opening);
  }

  private static int sumAt(int version) {
    boolean without = version == 1 || version == 2;
    return (without ? HEADER_BYTES_WITHOUT_OPENING : HEADER_BYTES) - Integer.BYTES;
  }

  /** The opening of the metadata in which the file was written. */
  public Opening opening() {
    return opening;
  }

  /** The file belongs to another opening from here on. Writes it wholly, with {@code bits}. */
  public void begin(IntentBitmap bits, Opening newOpening) throws IOException {
    opening = newOpening;
    writeWhole(bits);
  }

  /**
   * Writes all durably. What was read may be in the page cache alone: its writer was killed before
   * it was on stable storage, or was told that it could not be put there, after which the system
   * does not try again.
   */
  private void writeWhole(IntentBitmap bits) throws IOException {
    byte[] page = new byte[IntentBitmap.PAGE_BYTES];
    for (int number = 0; number < IntentBitmap.pagesFor(chunks); number++) {
      bits.copyPage(number, page);
      writePage(number, page);
    }
    writeHeader();
    channel.force(true);
  }

  private static void load(String name, FileChannel channel, IntentBitmap bitmap, int chunks)
      throws IOException {
    ByteBuffer page = ByteBuffer.allocate(FILE_PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int number = 0; number < IntentBitmap.pagesFor(chunks); number++) {
      readPage(name, channel, page, number);
      for (int sector = 0; sector < SECTORS; sector++) {
        int at = sector * SECTOR_BYTES;
        int sum = page.getInt(at + SECTOR_BITS_BYTES);
        long sectorNumber = (long) number * SECTORS + sector;
        if (Integer.reverseBytes(sum) != crc(page, at, sectorNumber)
            || page.getInt(at + SECTOR_BITS_BYTES + Integer.BYTES) != 0) {
          throw new Damage(name + " is damaged: sector " + sectorNumber + " fails the checksum");
        }
        long first = sectorNumber * SECTOR_BITS_BYTES * 8;
        loadBits(page, at, SECTOR_BITS_BYTES, first, bitmap);
      }
    }
  }

  private static void loadVersion1(
      String name, FileChannel channel, IntentBitmap bitmap, int chunks) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(FILE_PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long pageChunks = FILE_PAGE_BYTES * 8L;
    for (int number = 0; number < (chunks + pageChunks - 1) / pageChunks; number++) {
      readPage(name, channel, page, number);
      loadBits(page, 0, FILE_PAGE_BYTES, number * pageChunks, bitmap);
    }
  }

  private static void readPage(String name, FileChannel channel, ByteBuffer page, int number)
      throws IOException {
    page.clear();
    readFully(channel, page, (1L + number) * FILE_PAGE_BYTES);
    if (page.hasRemaining()) {
      throw new Damage(name + " is damaged: it ends at " + channel.size() + ", too early");
    }
  }

  private static void loadBits(
      ByteBuffer page, int from, int bytes, long firstChunk, IntentBitmap bitmap) {
    for (int at = 0; at < bytes; at += Long.BYTES) {
      for (long word = page.getLong(from + at); word != 0; word &= word - 1) {
        long chunk = firstChunk + at * 8L + Long.numberOfTrailingZeros(word);
        if (chunk < bitmap.size()) {
          bitmap.load((int) chunk);
        }
      }
    }
  }

  private static void readFully(FileChannel channel, ByteBuffer target, long position)
      throws IOException {
    long at = position;
    while (target.hasRemaining()) {
      int count = channel.read(target, at);
      if (count < 0) {
        return;
      }
      at += count;
    }
  }

  private static int crc(ByteBuffer header, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(0).limit(bytes));
    return (int) crc.getValue();
  }

  private static int crc(ByteBuffer page, int at, long sectorNumber) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, sectorNumber));
    crc.update(page.duplicate().limit(at + SECTOR_BITS_BYTES).position(at));
    return (int) crc.getValue();
  }

  /** Has room for so many chunks, durably; the bits of new ones are clear. */
  public void grow(int newChunks) throws IOException {
    if (newChunks <= chunks) {
      return;
    }
    byte[] clear = new byte[IntentBitmap.PAGE_BYTES];
    for (int page = IntentBitmap.pagesFor(chunks);
        page < IntentBitmap.pagesFor(newChunks);
        page++) {
      writePage(page, clear);
    }
    channel.force(true);
    int before = chunks;
    chunks = newChunks;
    try {
      writeHeader();
      channel.force(false);
    } catch (IOException e) {
      chunks = before;
      throw e;
    }
  }

  /** Writes pages and returns once they are on stable storage. */
  public void write(Map<Integer, byte[]> pages) throws IOException {
    for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
      writePage(page.getKey(), page.getValue());
    }
    channel.force(false);
  }

  private void writeHeader() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(0, MAGIC).putInt(8, VERSION).putInt(12, chunkBytes).putLong(16, chunks);
    header.putLong(24, opening.count()).putLong(32, opening.id());
    header.putInt(sumAt(VERSION), crc(header, sumAt(VERSION)));
    writeFully(header, 0);
  }

  private void writePage(int number, byte[] bits) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(FILE_PAGE_BYTES);
    for (int sector = 0; sector < SECTORS; sector++) {
      int at = sector * SECTOR_BYTES;
      page.put(at, bits, sector * SECTOR_BITS_BYTES, SECTOR_BITS_BYTES);
      page.putInt(at + SECTOR_BITS_BYTES, crc(page, at, (long) number * SECTORS + sector));
    }
    writeFully(page, (1L + number) * FILE_PAGE_BYTES);
  }

  private void writeFully(ByteBuffer source, long position) throws IOException {
    long at = position;
    try {
      while (source.hasRemaining()) {
        at += channel.write(source, at);
      }
    } catch (IOException e) {
      throw notWritten(name, e);
    }
  }

  /** The system's reason with the file's name, which it does not tell. */
  public static IOException notWritten(String file, IOException why) {
    return new IOException("cannot write " + file + ": " + why.getMessage(), why);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
