package io.mgtm.ha.watchdog;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Looks whether a path is a watchdog of the kernel, without opening it: that would arm it. */
public final class KernelWatchdog {
  private static final int TYPE = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;

  private KernelWatchdog() {}

  /**
   * Checks a device.
   *
   * @param device empty for none
   * @throws IOException when there is none; says what there is
   */
  public static void check(String device) throws IOException {
    if (device.isEmpty()) {
      return;
    }
    Path path = Path.of(device);
    if (!Files.exists(path)) {
      throw new IOException(
          "watchdogDevice: there is no %s (%s); load the module of the machine's watchdog, or softdog"
              .formatted(device, others(path.toAbsolutePath().getParent())));
    }
    int mode = (Integer) Files.getAttribute(path, "unix:mode");
    if ((mode & TYPE) != CHARACTER_DEVICE) {
      throw new IOException(
          "watchdogDevice: %s is no character device but %s"
              .formatted(device, Files.isDirectory(path) ? "a folder" : "a file"));
    }
  }

  private static String others(Path folder) throws IOException {
    List<String> found = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "watchdog*")) {
        all.forEach(each -> found.add(each.toString()));
      }
    }
    return found.isEmpty()
        ? "nor any other watchdog in " + folder
        : "there is " + String.join(", ", found);
  }
}
