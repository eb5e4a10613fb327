package io.mgtm.ha.kit;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Where a program prints: a FIFO, or nowhere, since one that takes something out of service must
 * run also where no file can be made. The JDK's own pipe is not used: at a program's end the JDK
 * takes out of it all that there is, without a limit, also what a process that was left behind goes
 * on to print.
 */
final class Output implements AutoCloseable {
  private static final int MAKE_MS = 2_000;
  private static final int REASON_BYTES_MAX = 512;

  private final Path fifo;
  private final RandomAccessFile file;
  private final InputStream stream;
  private final String lost;

  private Output(Path fifo, RandomAccessFile file, InputStream stream, String lost) {
    this.fifo = fifo;
    this.file = file;
    this.stream = stream;
    this.lost = lost;
  }

  /** For a program; for one of which nothing is kept nothing is made. */
  static Output of(Program program) throws InterruptedException {
    StringJoiner why = new StringJoiner("; ");
    for (Path folder : folders(program)) {
      try {
        return in(folder);
      } catch (IOException e) {
        why.add(e.getMessage());
      }
    }
    return new Output(null, null, null, why.toString());
  }

  /** The controller's own first: in the other anybody may have left no room. */
  private static List<Path> folders(Program program) {
    List<Path> folders = new ArrayList<>();
    if (program.keptBytes() > 0) {
      if (program.notes() != null) {
        folders.add(program.notes());
      }
      folders.add(Path.of(System.getProperty("java.io.tmpdir")));
    }
    return folders;
  }

  private static Output in(Path folder) throws IOException, InterruptedException {
    Path fifo = folder.resolve("mgtm-ha-output-" + UUID.randomUUID());
    try {
      make(fifo);
      // For writing too: opening it waits for nobody then.
      RandomAccessFile file = new RandomAccessFile(fifo.toFile(), "rw");
      return new Output(fifo, file, new FileInputStream(file.getFD()), "");
    } catch (IOException | InterruptedException e) {
      remove(fifo);
      throw e;
    }
  }

  /** What it throws names no file: each would have a name, and so a sentence, of its own. */
  private static void make(Path fifo) throws IOException, InterruptedException {
    Path folder = fifo.getParent();
    Process made = new ProcessBuilder("mkfifo", "-m", "600", fifo.toString()).start();
    try {
      if (!made.waitFor(MAKE_MS, TimeUnit.MILLISECONDS)) {
        made.destroyForcibly();
        throw new IOException("mkfifo in %s took more than %d ms".formatted(folder, MAKE_MS));
      }
    } catch (InterruptedException e) {
      made.destroyForcibly().waitFor(MAKE_MS, TimeUnit.MILLISECONDS);
      throw e;
    }
    if (made.exitValue() != 0) {
      byte[] said = made.getErrorStream().readNBytes(REASON_BYTES_MAX);
      String reason = new String(said, StandardCharsets.UTF_8).strip();
      throw new IOException(
          "mkfifo in %s failed: %s"
              .formatted(folder, reason.substring(reason.lastIndexOf(": ") + 1).strip()));
    }
  }

  /** What a program is started with. */
  Redirect redirect() {
    return fifo == null ? Redirect.DISCARD : Redirect.to(fifo.toFile());
  }

  /** Both sides have it open, and a crash leaves nothing behind. */
  void begun() {
    remove(fifo);
  }

  private static void remove(Path fifo) {
    try {
      if (fifo != null) {
        Files.deleteIfExists(fifo);
      }
    } catch (IOException e) {
      // An empty file stays, which is no reason not to run what takes something out of service.
    }
  }

  /** Why nothing of it is read; empty when it is, or need not be. */
  String lost() {
    return lost;
  }

  int available() throws IOException {
    return stream == null ? 0 : stream.available();
  }

  int read(byte[] buffer, int count) throws IOException {
    return stream.read(buffer, 0, count);
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
    remove(fifo);
  }
}
