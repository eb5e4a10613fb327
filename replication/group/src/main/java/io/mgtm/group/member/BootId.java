package io.mgtm.group.member;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether the machine has restarted since a file was written: what a process stored in a
 * mapped file outlives the process, and not the machine.
 */
final class BootId {
  private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

  private BootId() {}

  /** The id of this boot; empty where the system has none, which then counts as a new boot. */
  static String current() {
    try {
      return Files.isReadable(FILE) ? Files.readString(FILE).strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + FILE, e);
    }
  }

  static boolean isSame(String one, String other) {
    return !one.isEmpty() && one.equals(other);
  }
}
