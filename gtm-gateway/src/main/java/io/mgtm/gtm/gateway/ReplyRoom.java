package io.mgtm.gtm.gateway;

import java.util.function.LongSupplier;

/**
 * Which long replies of an original GTM, which sends each as one frame, are passed on: they are
 * kept whole, and then until their clients take them. Event loop.
 */
final class ReplyRoom {
  /** The longest reply; some 150,000 sequences. */
  static final int REPLY_BYTES_MAX = 16 << 20;

  /** All replies together that are coming, or wait for clients, when another long one begins. */
  static final int WAITING_BYTES_MAX = 64 << 20;

  /** Why a reply is not passed on, and what to do. */
  record Refusal(String message, String hint) {}

  private final LongSupplier waitingBytes;

  /**
   * @param waitingBytes replies that are coming, and those that wait for clients
   */
  ReplyRoom(LongSupplier waitingBytes) {
    this.waitingBytes = waitingBytes;
  }

  /** Why a reply of so many bytes is not passed on; null when it is. */
  Refusal refusal(long bytes) {
    if (bytes > REPLY_BYTES_MAX) {
      return new Refusal(
          "the GTM answers with %d bytes, and this proxy passes on %d at most"
              .formatted(bytes, REPLY_BYTES_MAX),
          "Ask the GTM itself.");
    }
    if (waitingBytes.getAsLong() + bytes > WAITING_BYTES_MAX) {
      return new Refusal(
          "the GTM answers with %d bytes, and too much waits for other clients of this proxy"
              .formatted(bytes),
          "Ask again in a moment.");
    }
    return null;
  }
}
