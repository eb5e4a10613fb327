package io.mgtm.block.it;

import java.nio.file.Path;
import java.util.Random;

/**
 * A file system (ext4) on a disk whose power a test cuts: after that it has what was flushed, and
 * of the rest a part that a seed chooses, sector by sector. The page cache over it is gone.
 *
 * <p>A cut takes three steps: {@link #freeze} stops the disk, the test begins to kill who uses it,
 * and lets them learn that nothing will come by {@link #fail}; {@link #lose} throws away what was
 * not on stable storage. {@link #on} brings the disk back.
 */
interface CutDisk {
  /** Makes a disk and mounts it: by dm-log-writes where the kernel has that, else by nbdfuse. */
  static CutDisk make(Path folder, String name) throws Exception {
    return LoggedDisk.isThere(folder) ? new LoggedDisk(folder, name) : new ServedDisk(folder, name);
  }

  /** Where its file system is. */
  Path mounted();

  /** The disk has power, with what is durable on it. */
  void on() throws Exception;

  /** Nothing more is written to the disk, or read; who waits for it waits. */
  void freeze() throws Exception;

  /** Who waits gets an error, and no process may be left that acts on it. */
  void fail() throws Exception;

  /** Its processes are dead: {@code random} says what is there of what was not flushed. */
  String lose(Random random) throws Exception;

  /** Unmounted and gone. */
  void close() throws Exception;
}
