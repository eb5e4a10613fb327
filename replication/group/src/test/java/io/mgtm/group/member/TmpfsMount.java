package io.mgtm.group.member;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A small file system of its own, where this machine lets the test mount one. */
final class TmpfsMount implements AutoCloseable {
  private final Path folder;

  private TmpfsMount(Path folder) {
    this.folder = folder;
  }

  /** Mounts; where that is not permitted the test is skipped with the system's reason. */
  static TmpfsMount mount(Path folder, long bytes) throws IOException {
    Files.createDirectories(folder);
    String refusal = run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", folder.toString());
    if (!refusal.isEmpty()) {
      String reason = "SKIPPED: no file system can be mounted here: " + refusal;
      System.out.println(reason);
      Assumptions.abort(reason);
    }
    return new TmpfsMount(folder);
  }

  Path folder() {
    return folder;
  }

  void makeReadOnly() throws IOException {
    String refusal = run("mount", "-o", "remount,ro", folder.toString());
    if (!refusal.isEmpty()) {
      throw new IOException(refusal);
    }
  }

  /** Lazily, for mapped files stay open until their memory is collected. */
  @Override
  public void close() throws IOException {
    String refusal = run("umount", "-l", folder.toString());
    if (!refusal.isEmpty()) {
      throw new IOException(refusal);
    }
  }

  /** Returns why the command failed, or nothing. */
  private static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      return code == 0 ? "" : command[0] + " ended with " + code + ": " + said.strip();
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
