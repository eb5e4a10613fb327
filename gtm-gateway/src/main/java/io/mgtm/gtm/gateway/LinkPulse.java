package io.mgtm.gtm.gateway;

import java.util.concurrent.TimeUnit;

/** Whether the node at the other end of a link answers pings. The loop's thread. */
final class LinkPulse {
  /** A leader that has not answered for this long loses to another one. */
  static final int ANSWER_MS = 1_000;

  /** A link over which nothing was answered for this long is reopened. */
  static final int DEAD_MS = 3_000;

  private final GatewayTime time;
  private long nonce;
  private long askedNanos;
  private long waitedMs;
  private boolean asked;

  LinkPulse(GatewayTime time) {
    this.time = time;
  }

  /**
   * Asks, or looks how long the answer is waited for.
   *
   * @return whether a ping with {@link #nonce} is to be sent
   */
  boolean ask() {
    if (asked) {
      waitedMs = TimeUnit.NANOSECONDS.toMillis(time.nanos() - askedNanos);
      return false;
    }
    asked = true;
    nonce++;
    askedNanos = time.nanos();
    return true;
  }

  long nonce() {
    return nonce;
  }

  void answered(long of) {
    if (of == nonce) {
      forget();
    }
  }

  /** What was asked does not matter any more. */
  void forget() {
    asked = false;
    waitedMs = 0;
  }

  boolean isSilent() {
    return waitedMs >= ANSWER_MS;
  }

  boolean isDead() {
    return waitedMs >= DEAD_MS;
  }
}
