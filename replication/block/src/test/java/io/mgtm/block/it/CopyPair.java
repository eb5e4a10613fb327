package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Two copies of a volume in processes of their own, each of which may be primary. */
final class CopyPair implements AutoCloseable {
  private static final int PIECE = 65_536;

  final VolumeProcess a;
  final VolumeProcess b;

  CopyPair(Path folder, String size, String... options) throws IOException {
    this(copy(folder, "a", size, options), copy(folder, "b", size, options), "sync");
  }

  CopyPair(VolumeProcess a, VolumeProcess b, String mode) {
    this.a = a.replica(b, mode);
    this.b = b.replica(a, mode);
  }

  static VolumeProcess copy(Path folder, String name, String size, String... options)
      throws IOException {
    return new VolumeProcess(folder, name, OwnAddress.port())
        .listening()
        .receiving()
        .with("--size", size, "--path-timeout-ms", "20000")
        .with(options);
  }

  /** Both are up, and {@code a} is primary. */
  CopyPair start() throws Exception {
    launchWhatIsDown();
    promote(a, false);
    a.awaitUpToDate();
    return this;
  }

  /** Both answer. */
  void launchWhatIsDown() throws Exception {
    for (VolumeProcess copy : List.of(a, b)) {
      if (!copy.isAlive()) {
        copy.launch();
      }
    }
    a.awaitAnswer();
    b.awaitAnswer();
  }

  VolumeProcess other(VolumeProcess copy) {
    return copy == a ? b : a;
  }

  void promote(VolumeProcess copy, boolean force) throws IOException {
    assertThat(copy.ask("promote", "force", force).path("error").asText()).isEmpty();
  }

  /** Both are up again, and {@code primary} serves and has its replica up to date. */
  void recover(VolumeProcess primary) throws Exception {
    launchWhatIsDown();
    Await.until(
        primary.name + " serves with its replica",
        () -> {
          resizeWhatWasAway();
          JsonNode status = primary.status();
          return status.path("role").asText().equals("primary")
              && status.path("serving").asBoolean()
              && primary.isUpToDate();
        });
  }

  /** A copy that was away when the other one grew is resized by hand. */
  private void resizeWhatWasAway() throws IOException {
    long sizeOfA = a.status().path("sizeBytes").asLong();
    long sizeOfB = b.status().path("sizeBytes").asLong();
    if (sizeOfA != sizeOfB) {
      (sizeOfA < sizeOfB ? a : b).ask("resize", "sizeBytes", Math.max(sizeOfA, sizeOfB));
    }
  }

  /** Verify finds nothing, and the files are equal byte by byte. */
  void assertEqual(VolumeProcess primary) throws Exception {
    assertThat(primary.ask("verify").path("error").asText()).isEmpty();
    Await.until(
        "verify has ended",
        () ->
            !primary.link(0).path("verify").path("running").asBoolean()
                && primary.link(0).path("verify").path("totalBytes").asLong() > 0);
    assertThat(primary.link(0).path("verify").path("mismatches").asLong()).isZero();
    assertThat(primary.link(0).path("state").asText()).isEqualTo("up-to-date");
    assertThat(Files.mismatch(a.file(), b.file())).as("the first byte that differs").isEqualTo(-1);
  }

  static int write(VolumeProcess volume, long offset, int fill, int length) throws IOException {
    byte[] data = new byte[Math.min(length, PIECE)];
    Arrays.fill(data, (byte) fill);
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      for (long at = offset; at < offset + length; at += data.length) {
        int errno = client.write(at, data, at + data.length >= offset + length);
        if (errno != 0) {
          return errno;
        }
      }
    }
    return 0;
  }

  /** The files of the bitmaps beside a copy. */
  static List<Path> bitmaps(VolumeProcess copy) throws IOException {
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(Path.of(copy.file() + ".meta"), "bitmap-*")) {
      List<Path> all = new ArrayList<>();
      found.forEach(all::add);
      return all;
    }
  }

  /** How a bitmap's file is spoiled. */
  enum Spoiling {
    REMOVED,
    TRUNCATED,
    OVERWRITTEN;

    void apply(VolumeProcess copy) throws IOException {
      for (Path file : bitmaps(copy)) {
        if (this == REMOVED) {
          Files.delete(file);
          continue;
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
          if (this == TRUNCATED) {
            bytes.setLength(4096);
          } else {
            bytes.seek(bytes.length() - 100);
            bytes.write(new byte[50]);
            bytes.write("rubbish".getBytes(StandardCharsets.US_ASCII));
          }
        }
      }
    }
  }

  @Override
  public void close() {
    a.close();
    b.close();
  }
}
