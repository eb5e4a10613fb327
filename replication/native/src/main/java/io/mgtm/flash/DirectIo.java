package io.mgtm.flash;

/** Whether I/O passes by the page cache (O_DIRECT). */
public enum DirectIo {
  /** Passes it by where the file system allows it. */
  AUTO,
  /** Goes through the page cache. */
  OFF,
  /** Passes it by, or the file is not opened. */
  REQUIRED
}
