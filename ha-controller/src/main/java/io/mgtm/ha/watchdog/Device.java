package io.mgtm.ha.watchdog;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A watchdog of the kernel, which resets the machine when it is not written to for a while. It
 * begins to count when it is opened, and stops when the letter V is written before it is closed.
 * Called by the watchdog's thread.
 */
final class Device {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<String> log;
  private String path = "";
  private FileOutputStream open;
  private long fedNanos;
  private String trouble = "";

  Device(Consumer<String> log) {
    this.log = log;
  }

  /** Writes to a device, once a second; to none when the path is empty. */
  void feed(String wanted, long nowNanos) {
    if (!wanted.equals(path)) {
      close();
      path = wanted;
      fedNanos = nowNanos - EVERY_NANOS;
    }
    if (path.isEmpty() || nowNanos - fedNanos < EVERY_NANOS) {
      return;
    }
    fedNanos = nowNanos;
    try {
      if (open == null) {
        if (!Files.exists(Path.of(path))) {
          throw new IOException("there is no " + path + "; load a watchdog's module, or softdog");
        }
        open = new FileOutputStream(path, true);
        log.accept("feeding " + path);
      }
      open.write(0);
      trouble = "";
    } catch (IOException e) {
      if (!trouble.equals(e.getMessage())) {
        trouble = e.getMessage();
        log.accept(path + " is not fed: " + trouble);
      }
    }
  }

  /** In order: the machine is not reset. */
  void close() {
    if (open == null) {
      return;
    }
    try (FileOutputStream last = open) {
      last.write('V');
    } catch (IOException e) {
      log.accept(path + " could not be closed in order: " + e.getMessage());
    }
    open = null;
  }
}
