package io.mgtm.group.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A file twice: as the programs of the machine see it, and as it is on disk. The system may write
 * back any dirty sector at any time; a failed force leaves pages that only look clean, and may be
 * dropped from memory like all that are.
 */
final class SimulatedFile {
  private static final int SECTOR = 512;
  private static final int PAGE = 4096;

  private byte[] memory;
  private byte[] disk;
  private ByteBuffer buffer;

  /** Pages that a failed force has left unwritten and clean, with their content at that time. */
  private final Map<Integer, byte[]> lost = new HashMap<>();

  private boolean failedUnheard;

  SimulatedFile(byte[] memory, byte[] disk) {
    set(memory, disk);
  }

  private void set(byte[] newMemory, byte[] newDisk) {
    memory = newMemory;
    disk = newDisk;
    buffer = ByteBuffer.wrap(memory).order(ByteOrder.LITTLE_ENDIAN);
    lost.clear();
    failedUnheard = false;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  byte[] memory() {
    return memory;
  }

  int size() {
    return memory.length;
  }

  void replace(byte[] content) {
    set(content, disk);
  }

  void zero(int offset, int bytes) {
    Arrays.fill(memory, offset, offset + bytes, (byte) 0);
    rewrite(offset, bytes);
  }

  /** Storing makes pages dirty again, even if they are as before. */
  void rewrite(int offset, int bytes) {
    for (int page = offset / PAGE; page * PAGE < offset + bytes; page++) {
      lost.remove(page);
    }
  }

  void force(int offset, int bytes) {
    resizeDisk();
    for (int page = offset / PAGE; page * PAGE < offset + bytes; page++) {
      if (!isLost(page)) {
        int from = page * PAGE;
        System.arraycopy(memory, from, disk, from, Math.min(PAGE, memory.length - from));
      }
    }
  }

  /** What a force does that reports an error: nothing, and the pages count as clean. */
  void failForce(int offset, int bytes) {
    for (int page = offset / PAGE; page * PAGE < offset + bytes; page++) {
      int from = page * PAGE;
      lost.put(page, Arrays.copyOfRange(memory, from, Math.min(from + PAGE, memory.length)));
    }
  }

  /** The system could not write back some of what is dirty; the next force hears of it. */
  void failWriteBack(Random random) {
    for (int page = 0; page * PAGE < memory.length; page++) {
      int from = page * PAGE;
      int to = Math.min(from + PAGE, memory.length);
      boolean dirty = !Arrays.equals(memory, from, to, disk, from, to);
      if (dirty && random.nextBoolean()) {
        failForce(from, to - from);
        failedUnheard = true;
      }
    }
  }

  /** Whether writing back has failed since the last question. */
  boolean hearsOfFailure() {
    boolean failed = failedUnheard;
    failedUnheard = false;
    return failed;
  }

  /** The system needs memory: some of what looks clean is read from disk when it is used again. */
  void evict(Random random) {
    for (int page : List.copyOf(lost.keySet())) {
      if (isLost(page) && random.nextBoolean()) {
        int from = page * PAGE;
        System.arraycopy(disk, from, memory, from, Math.min(PAGE, memory.length - from));
        lost.remove(page);
      }
    }
  }

  private boolean isLost(int page) {
    byte[] content = lost.get(page);
    if (content == null) {
      return false;
    }
    int from = page * PAGE;
    if (Arrays.equals(content, 0, content.length, memory, from, from + content.length)) {
      return true;
    }
    lost.remove(page); // stored into since, so it is dirty again
    return false;
  }

  private void resizeDisk() {
    if (disk.length != memory.length) {
      disk = Arrays.copyOf(disk, memory.length);
    }
  }

  /** The system writes back some of what is dirty. */
  void writeBack(Random random) {
    if (disk.length != memory.length) {
      if (random.nextBoolean()) {
        return;
      }
      disk = Arrays.copyOf(disk, random.nextInt(memory.length + 1));
    }
    int unit = random.nextBoolean() ? SECTOR : PAGE;
    int shareOf8 = 1 + random.nextInt(8);
    for (int from = 0; from < disk.length; from += unit) {
      if (random.nextInt(8) < shareOf8 && !isLost(from / PAGE)) {
        System.arraycopy(memory, from, disk, from, Math.min(unit, disk.length - from));
      }
    }
  }

  /** What is there after the power came back: each dirty sector is old or new. */
  SimulatedFile afterPowerLoss(Random random) {
    if (random.nextInt(4) != 0) {
      writeBack(random);
    }
    byte[] survived = disk.clone();
    return new SimulatedFile(survived, survived.clone());
  }
}
