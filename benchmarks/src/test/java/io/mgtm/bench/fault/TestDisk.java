package io.mgtm.bench.fault;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A disk of its own for a member's data folder: a small one, or a slow one. */
final class TestDisk implements AutoCloseable {
  private static final int COMMAND_S = 60;

  private final Path folder;

  /** What undoes the steps that were taken, the last one first. */
  private final Deque<List<String>> undo = new ArrayDeque<>();

  private Process server;

  private TestDisk(Path folder) {
    this.folder = folder;
  }

  /** A memory disk of so many MiB, mounted at a new folder; skips the test where it cannot be. */
  static TestDisk small(Path folder, int mebibytes) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    TestDisk disk = new TestDisk(folder);
    disk.must("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "mgtm", folder.toString());
    disk.undo.push(List.of("umount", "-l", folder.toString()));
    return disk;
  }

  /**
   * An ext4 file system on a device that takes this long for each write and flush, served by nbdkit
   * and mounted at a new folder; skips the test where it cannot be.
   */
  static TestDisk slow(Path folder, Path scratch, int delayMs)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Path device = Files.createDirectories(scratch).resolve("device");
    Files.writeString(device, "");
    TestDisk disk = new TestDisk(folder);
    try {
      disk.server =
          new ProcessBuilder(
                  "nbdfuse",
                  device.toString(),
                  "--command",
                  "nbdkit",
                  "-s",
                  "--filter=delay",
                  "memory",
                  "512M",
                  "wdelay=" + delayMs + "ms")
              .redirectErrorStream(true)
              .redirectOutput(scratch.resolve("nbdfuse.log").toFile())
              .start();
      Await.until("the device", () -> Files.size(device) > 0 || !disk.server.isAlive());
      Assumptions.assumeTrue(Files.size(device) > 0, "SKIPPED: nbdfuse serves no device here");
      disk.undo.push(List.of("umount", "-l", device.toString()));
      String loop = disk.must("losetup", "--find", "--show", device.toString()).strip();
      disk.undo.push(List.of("losetup", "-d", loop));
      disk.must(
          "mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=1", "-O", "^metadata_csum", loop);
      disk.must("mount", loop, folder.toString());
      disk.undo.push(List.of("umount", folder.toString()));
      Files.deleteIfExists(folder.resolve("lost+found"));
      return disk;
    } catch (IOException | RuntimeException e) {
      disk.close();
      Assumptions.assumeTrue(false, "SKIPPED: no slow disk can be made here: " + e.getMessage());
      throw e;
    }
  }

  /** Nothing more can be stored there from here on. */
  void fill() throws IOException {
    byte[] piece = new byte[4_096];
    try (OutputStream out = Files.newOutputStream(ballast())) {
      while (true) {
        out.write(piece);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left")) {
        throw e;
      }
    }
  }

  /** There is room again. */
  void empty() throws IOException {
    Files.delete(ballast());
  }

  private Path ballast() {
    return folder.resolve("ballast");
  }

  private String must(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      Assumptions.assumeTrue(false, "SKIPPED: " + command[0] + " is not here: " + e.getMessage());
      throw e;
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(COMMAND_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
      Assumptions.assumeTrue(false, "SKIPPED: " + String.join(" ", command) + ": " + output);
    }
    return output;
  }

  @Override
  public void close() throws IOException {
    List<String> failed = new ArrayList<>();
    while (!undo.isEmpty()) {
      List<String> command = undo.pop();
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.onExit().join().exitValue() != 0) {
        failed.add(String.join(" ", command) + ": " + output);
      }
    }
    if (server != null) {
      server.destroy();
      server.onExit().join();
    }
    if (!failed.isEmpty()) {
      throw new IOException("left behind: " + failed);
    }
  }
}
