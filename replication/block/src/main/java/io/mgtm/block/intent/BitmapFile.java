package io.mgtm.block.intent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The file of one bitmap.
 *
 * <pre>
 * page 0   "MGTMBITS" | version 32 | chunk bytes 32 | chunks 64 | crc32c of these 24 bytes
 * page n   bits of 32768 chunks, lowest chunk in the lowest bit of the first byte
 * </pre>
 *
 * <p>The bit pages carry no checksum: a page torn by a crash holds, in each sector, the bits before
 * or after a batch, and both are safe, for a write waits for its bit, and a cleared bit was not
 * needed any more. One thread at a time.
 */
public final class BitmapFile implements AutoCloseable {
  private static final long MAGIC = 0x4d47544d42495453L;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 28;

  private final Path path;
  private final FileChannel channel;

  private BitmapFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /** Creates the file durably, with no bit set. */
  public static BitmapFile create(Path path, int chunkBytes, int chunks) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    BitmapFile file = new BitmapFile(path, channel);
    try {
      file.writeHeader(chunkBytes, chunks);
      long bytes = (1L + IntentBitmap.pagesFor(chunks)) * IntentBitmap.PAGE_BYTES;
      channel.write(ByteBuffer.allocate(1), bytes - 1);
      channel.force(true);
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
   * Opens the file and loads its bits into {@code bitmap}.
   *
   * @throws IOException when it is not a bitmap for so many chunks of that size
   */
  public static BitmapFile open(Path path, int chunkBytes, IntentBitmap bitmap) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
      readFully(channel, header, 0);
      header.flip();
      if (header.remaining() < HEADER_BYTES
          || header.getLong(0) != MAGIC
          || header.getInt(8) != VERSION
          || header.getInt(24) != crc(header)) {
        throw new IOException(
            path + " is not a bitmap of this version; remove it to have the replica sent wholly");
      }
      if (header.getInt(12) != chunkBytes || header.getLong(16) > bitmap.size()) {
        throw new IOException(
            path
                + " is for "
                + header.getLong(16)
                + " chunks of "
                + header.getInt(12)
                + " bytes, the volume has "
                + bitmap.size()
                + " of "
                + chunkBytes);
      }
      load(channel, bitmap, header.getLong(16));
      BitmapFile file = new BitmapFile(path, channel);
      if (header.getLong(16) < bitmap.size()) {
        file.writeHeader(chunkBytes, bitmap.size());
      }
      return file;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static void load(FileChannel channel, IntentBitmap bitmap, long chunks)
      throws IOException {
    ByteBuffer page = ByteBuffer.allocate(IntentBitmap.PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int number = 0; number < IntentBitmap.pagesFor((int) chunks); number++) {
      page.clear();
      readFully(channel, page, (1L + number) * IntentBitmap.PAGE_BYTES);
      for (int at = 0; at + Long.BYTES <= page.position(); at += Long.BYTES) {
        long word = page.getLong(at);
        while (word != 0) {
          long chunk =
              ((long) number * IntentBitmap.PAGE_BYTES + at) * 8 + Long.numberOfTrailingZeros(word);
          if (chunk < chunks) {
            bitmap.load((int) chunk);
          }
          word &= word - 1;
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

  private static int crc(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().position(0).limit(24));
    return (int) crc.getValue();
  }

  /** Writes the header for another number of chunks, durably. */
  public void writeHeader(int chunkBytes, int chunks) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(0, MAGIC).putInt(8, VERSION).putInt(12, chunkBytes).putLong(16, chunks);
    header.putInt(24, crc(header));
    writeFully(header, 0);
    channel.force(false);
  }

  /** Writes pages and returns once they are on stable storage. */
  public void write(Map<Integer, byte[]> pages) throws IOException {
    for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
      writeFully(ByteBuffer.wrap(page.getValue()), (1L + page.getKey()) * IntentBitmap.PAGE_BYTES);
    }
    channel.force(false);
  }

  private void writeFully(ByteBuffer source, long position) throws IOException {
    long at = position;
    while (source.hasRemaining()) {
      at += channel.write(source, at);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
