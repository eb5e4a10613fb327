package io.mgtm.query.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must outlive the replicator: which servers are out and why, and whether it ended in order,
 * with no commit between servers. The folder is locked while it is open. One thread at a time.
 */
final class StateFile implements AutoCloseable {
  /**
   * What the file holds.
   *
   * @param clean whether all servers that are in were left with the same rows
   * @param out by address, why
   */
  record State(boolean clean, Map<String, String> out) {
    State {
      out = new TreeMap<>(out);
    }
  }

  private static final Logger log = LoggerFactory.getLogger(StateFile.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final FileChannel lockFile;
  private final FileLock lock;

  /**
   * Opens a folder, which is made when it is not there.
   *
   * @throws IOException when it cannot be, or another replicator has it
   */
  StateFile(Path folder) throws IOException {
    Files.createDirectories(folder);
    file = folder.resolve("servers.json");
    lockFile =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock got;
    try {
      got = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      got = null;
    }
    if (got == null) {
      lockFile.close();
      throw new IOException("another replicator uses " + folder + ": give this one another --data");
    }
    lock = got;
  }

  /** What was written last, or null when nothing ever was. */
  State read() throws IOException {
    return Files.exists(file) ? JSON.readValue(Files.readAllBytes(file), State.class) : null;
  }

  /** Returns when it is on disk. */
  void write(State state) throws IOException {
    Path fresh = file.resolveSibling("servers.json.new");
    try (FileChannel out =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(state));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  @Override
  public void close() {
    try {
      lock.release();
      lockFile.close();
    } catch (IOException e) {
      // The lock ends with the process.
      log.warn("Cannot unlock {}: {}", file.getParent(), e.toString());
    }
  }
}
