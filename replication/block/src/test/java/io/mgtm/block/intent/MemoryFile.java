package io.mgtm.block.intent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

/**
 * A file in memory: what was written, and what of it is on stable storage. As with the page cache,
 * a force that failed leaves what was written readable, and the next one does not put it on the
 * disk.
 */
public final class MemoryFile extends FileChannel {
  private static final int SECTOR_BYTES = 512;

  private byte[] cache = new byte[0];
  private byte[] stable = new byte[0];
  private final BitSet dirty = new BitSet();
  private boolean forceFails;

  @Override
  public int read(ByteBuffer target, long position) {
    if (position >= cache.length) {
      return -1;
    }
    int count = (int) Math.min(target.remaining(), cache.length - position);
    target.put(cache, (int) position, count);
    return count;
  }

  @Override
  public int write(ByteBuffer source, long position) {
    int count = source.remaining();
    if (position + count > cache.length) {
      cache = Arrays.copyOf(cache, (int) position + count);
    }
    source.get(cache, (int) position, count);
    dirty.set((int) position / SECTOR_BYTES, ((int) position + count - 1) / SECTOR_BYTES + 1);
    return count;
  }

  /** From here on no force puts anything on stable storage, or all do again. */
  public void failForces(boolean fail) {
    forceFails = fail;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    if (forceFails) {
      dirty.clear();
      throw new IOException("the disk fails");
    }
    byte[] now = Arrays.copyOf(stable, cache.length);
    for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
      int at = sector * SECTOR_BYTES;
      int count = Math.min(SECTOR_BYTES, cache.length - at);
      if (count > 0) {
        System.arraycopy(cache, at, now, at, count);
      }
    }
    dirty.clear();
    stable = now;
  }

  @Override
  public long size() {
    return cache.length;
  }

  @Override
  public FileChannel truncate(long size) {
    cache = Arrays.copyOf(cache, (int) size);
    stable = cache.clone();
    return this;
  }

  /** A copy of what the file shows, on stable storage. */
  public MemoryFile copy() {
    MemoryFile copy = new MemoryFile();
    copy.cache = cache.clone();
    copy.stable = cache.clone();
    return copy;
  }

  /** The power goes: what was not forced is gone. */
  void loseCache() {
    cache = stable.clone();
    dirty.clear();
  }

  /** The power goes: each sector is as it was or as it was written. */
  public void tear(Random random) {
    byte[] found = Arrays.copyOf(stable, random.nextBoolean() ? cache.length : stable.length);
    for (int at = 0; at < Math.min(found.length, cache.length); at += SECTOR_BYTES) {
      if (random.nextBoolean()) {
        int count = Math.min(SECTOR_BYTES, Math.min(found.length, cache.length) - at);
        System.arraycopy(cache, at, found, at, count);
      }
    }
    cache = found;
    stable = found.clone();
    dirty.clear();
  }

  /** A bit turns, or the file's end is gone. */
  public void rot(Random random) {
    if (random.nextInt(3) == 0) {
      truncate(random.nextInt(cache.length));
    } else {
      // Padding holds nothing: where it turns, nothing is damaged.
      cache[random.nextInt(cache.length)] ^= (byte) (1 << random.nextInt(8));
      stable = cache.clone();
    }
  }

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("a bitmap's file is not used that way");
  }

  @Override
  public int read(ByteBuffer target) {
    throw unused();
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw unused();
  }

  @Override
  public int write(ByteBuffer source) {
    throw unused();
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) {
    throw unused();
  }

  @Override
  public long position() {
    throw unused();
  }

  @Override
  public FileChannel position(long newPosition) {
    throw unused();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw unused();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw unused();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw unused();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw unused();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw unused();
  }

  @Override
  protected void implCloseChannel() throws IOException {}
}
