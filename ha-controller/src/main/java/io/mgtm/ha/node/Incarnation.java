package io.mgtm.ha.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.mgtm.common.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/** Counts the starts of a node's controller, in the file {@code incarnation} of its folder. */
final class Incarnation {
  private static final String NAME = "incarnation";

  /** Starts after one that was heard of that nobody has heard of. */
  private static final int UNHEARD_MAX = 1_000;

  private static final int STEPS = 1_000_000;

  private Incarnation() {}

  /**
   * The number of this start: higher than all before; on disk when this returns.
   *
   * @throws IOException when the file cannot be read or written, or is damaged
   */
  static long next(Path folder, long wallMs) throws IOException {
    // An emptied folder must not count from the beginning: the others would not hear it.
    long next = Math.max(last(folder.resolve(NAME)) + 1, wallMs / 1_000);
    write(folder, next);
    return next;
  }

  /**
   * Has the next start count above one that others have heard of, by a step that is drawn: those
   * who know of different starts would lead to a number that was used before.
   *
   * @throws IOException when the file cannot be written
   */
  static void above(Path folder, long heard) throws IOException {
    write(folder, heard + UNHEARD_MAX + ThreadLocalRandom.current().nextInt(STEPS));
  }

  private static void write(Path folder, long number) throws IOException {
    Path written = folder.resolve(NAME + ".new");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      channel.write(ByteBuffer.wrap((number + "\n").getBytes(US_ASCII)));
      channel.force(true);
    } catch (FileSystemException e) {
      throw e; // it names the file
    } catch (IOException e) {
      throw new IOException("cannot write " + written + ": " + e.getMessage(), e);
    }
    Files.move(written, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel parent = FileChannel.open(folder)) {
      parent.force(true);
    }
  }

  private static long last(Path file) throws IOException {
    try {
      return Long.parseLong(Files.readString(file, US_ASCII).strip());
    } catch (NoSuchFileException e) {
      return 0;
    } catch (NumberFormatException e) {
      throw new IOException(
          file
              + " is damaged; write a number into it that is higher than any incarnation of this"
              + " node in the others' status",
          e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + FileErrors.reason(e), e);
    }
  }
}
