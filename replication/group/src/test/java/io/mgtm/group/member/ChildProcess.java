package io.mgtm.group.member;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A {@link LogChild} and what it has said so far. */
final class ChildProcess implements AutoCloseable {
  private final Process process;
  private final Thread reader;
  private volatile String opened = "";
  private volatile String complaint = "";
  private volatile long appended;
  private volatile long committed;

  ChildProcess(Path folder) {
    try {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LogChild.class.getName(),
                  folder.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    reader = new Thread(this::read, "child-reader");
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        hear(line);
      }
    } catch (IOException e) {
      complaint = "The child's words cannot be read: " + e;
    }
  }

  private void hear(String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "OPEN" -> opened = line;
      case "APPENDED" -> appended = Math.max(appended, Long.parseLong(words[1]));
      case "COMMITTED" -> committed = Math.max(committed, Long.parseLong(words[1]));
      case "WRONG", "REFUSED" -> complaint = line;
      default -> System.out.println("child: " + line);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean hasOpened() {
    return !opened.isEmpty();
  }

  /** The last index that it found. */
  long found() {
    return Long.parseLong(opened.split(" ", 3)[1]);
  }

  String complaint() {
    return complaint;
  }

  long appended() {
    return appended;
  }

  long committed() {
    return committed;
  }

  /** Kills it as {@code kill -9} does, and hears what it still had said. */
  @Override
  public void close() {
    process.toHandle().destroyForcibly(); // the process's own method closes what is to be read
    try {
      process.waitFor(180, TimeUnit.SECONDS);
      reader.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
