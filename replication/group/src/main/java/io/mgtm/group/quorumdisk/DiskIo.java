package io.mgtm.group.quorumdisk;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Reads and writes a quorum disk for an owner thread that must not wait for it. One call is under
 * way at a time; the owner thread is told what came of it, and hears nothing when that never ends.
 */
interface DiskIo {

  /**
   * Reads all.
   *
   * @param then the image, or null and why there is none
   */
  void read(BiConsumer<DiskImage, String> then);

  /**
   * Writes a content of a slot.
   *
   * @param then null when it is on disk, else why it may not be
   */
  void write(int slot, long number, byte[] content, Consumer<String> then);

  /** Nothing is told any more. */
  void close();
}
