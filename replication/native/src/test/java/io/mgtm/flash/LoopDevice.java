package io.mgtm.flash;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A block device over a file, for as long as a test takes; skipped where it cannot be made. */
final class LoopDevice implements AutoCloseable {

  final Path device;

  private LoopDevice(Path device) {
    this.device = device;
  }

  static LoopDevice over(Path file) throws IOException {
    Assumptions.assumeTrue(
        Files.isWritable(Path.of("/dev/loop-control")), "loop devices need root and /dev/loop*");
    String name;
    try {
      name = run(List.of("losetup", "--find", "--show", file.toString()));
    } catch (IOException e) {
      Assumptions.abort("no loop device: " + e.getMessage());
      throw e;
    }
    return new LoopDevice(Path.of(name));
  }

  @Override
  public void close() throws IOException {
    run(List.of("losetup", "--detach", device.toString()));
  }

  private static String run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (!process.waitFor(180, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(command + " failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(command + " was interrupted", e);
    }
    return output;
  }
}
