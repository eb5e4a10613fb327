package io.mgtm.block.volume;

import java.util.function.Consumer;

/** What the receiving side wants done towards its source. Called on the core's thread. */
public interface ReceiverEffects {
  /**
   * An acknowledgement is due; {@link Receiver#received}, {@link Receiver#written} and {@link
   * Receiver#durable} say what.
   */
  void acknowledge();

  /**
   * Send the checksum of the range that {@code read} covered; its bytes are where the submitter put
   * them.
   */
  void sendChecksum(long seq, Change read);

  /** Send the bytes of the range that {@code read} covered. */
  void sendBytes(long seq, Change read);

  /** Whether the source was heard a short while ago: then it is not lost. */
  boolean isAlive();

  /**
   * Make room for a larger volume, on stable storage: its bytes, which read as zeros, and its
   * bitmaps. {@code then} is told null, or why not, perhaps later.
   */
  void grow(long sizeBytes, Consumer<String> then);

  /** Tell the source why, and end the connection. */
  void close(String reason);
}
