package io.mgtm.ha.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What is mounted, as {@code /proc/self/mountinfo} shows it; touches no file system. */
final class Mounts {
  private static final Path LIST = Path.of("/proc/self/mountinfo");
  private static final int POINT = 4;
  private static final int OPTIONS = 5;

  private Mounts() {}

  /**
   * A mounted file system.
   *
   * @param options those of the mount and those of the file system
   */
  record Mount(String type, String source, List<String> options) {
    boolean isReadOnly() {
      return options.contains("ro") || options.contains("emergency_ro");
    }
  }

  /** What was mounted last on a folder. */
  static Optional<Mount> of(Path folder) {
    Mount found = null;
    try {
      for (String line : Files.readAllLines(LIST)) {
        String[] halves = line.split(" - ", 2);
        String[] mount = halves[0].split(" ", -1);
        String[] system = halves[1].split(" ", -1);
        if (plain(mount[POINT]).equals(folder.toString())) {
          String options = mount[OPTIONS] + "," + system[2];
          found = new Mount(system[0], plain(system[1]), Arrays.asList(options.split(",", -1)));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(LIST + " cannot be read", e);
    }
    return Optional.ofNullable(found);
  }

  private static String plain(String escaped) {
    return escaped.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }
}
