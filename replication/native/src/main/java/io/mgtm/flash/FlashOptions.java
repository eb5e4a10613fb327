package io.mgtm.flash;

import java.util.Objects;

/**
 * How a file is opened. Immutable.
 *
 * @param writable whether it may be written
 * @param create whether it is created, empty, when it is not there
 * @param direct whether I/O passes by the page cache
 * @param engine what carries out the I/O
 */
public record FlashOptions(boolean writable, boolean create, DirectIo direct, FlashEngine engine) {

  /** Refuses to create what cannot be written. */
  public FlashOptions {
    Objects.requireNonNull(direct, "direct");
    Objects.requireNonNull(engine, "engine");
    if (create && !writable) {
      throw new IllegalArgumentException("a file that is created must be writable");
    }
  }

  /** For reading, direct if possible, by the best engine. */
  public static FlashOptions readOnly() {
    return new FlashOptions(false, false, DirectIo.AUTO, FlashEngine.AUTO);
  }

  /** For reading and writing, direct if possible, by the best engine. */
  public static FlashOptions readWrite() {
    return new FlashOptions(true, false, DirectIo.AUTO, FlashEngine.AUTO);
  }

  /** The same, and the file is created when it is not there. */
  public FlashOptions creating() {
    return new FlashOptions(writable, true, direct, engine);
  }

  /** The same with another choice of direct I/O. */
  public FlashOptions withDirect(DirectIo choice) {
    return new FlashOptions(writable, create, choice, engine);
  }

  /** The same with another engine. */
  public FlashOptions withEngine(FlashEngine choice) {
    return new FlashOptions(writable, create, direct, choice);
  }
}
