package io.mgtm.block.volume;

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

  /** Tell the source why, and end the connection. */
  void close(String reason);
}
