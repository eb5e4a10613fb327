package io.mgtm.bench.ha;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A control group of version 2 that a machine sees as the root of all, so that the groups which
 * controllers make go with the machine. Nothing where there are no such groups.
 *
 * @param root where the system's are mounted, empty where they are not
 * @param folder this one's, empty where there is none
 */
public record ControlGroup(String root, String folder) {
  private static final ControlGroup NONE = new ControlGroup("", "");
  private static final int TYPE = 2;
  private static final int TRIES = 100;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  static ControlGroup make(String machine) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
      String[] fields = line.split(" ", -1);
      if (fields[TYPE].equals("cgroup2") && Files.isWritable(Path.of(fields[1]))) {
        String name = "mgtm-bench-%d-%s".formatted(ProcessHandle.current().pid(), machine);
        Path folder = Path.of(fields[1], name);
        remove(folder);
        Files.createDirectory(folder);
        return new ControlGroup(fields[1], folder.toString());
      }
    }
    return NONE;
  }

  void remove() throws IOException {
    if (!folder.isEmpty()) {
      removeOnceEmpty(Path.of(folder));
    }
  }

  /**
   * Removes the folder of one, and of those in it, once its processes have ended; the kernel may
   * need a moment to let go of them.
   */
  public static void removeOnceEmpty(Path folder) throws IOException {
    for (int i = 1; ; i++) {
      try {
        remove(folder);
        return;
      } catch (IOException e) {
        if (i == TRIES) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Folders alone: the files in them are the kernel's. */
  private static void remove(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, Files::isDirectory)) {
      for (Path entry : entries) {
        remove(entry);
      }
    }
    Files.deleteIfExists(folder);
  }
}
