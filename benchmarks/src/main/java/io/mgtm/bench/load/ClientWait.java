package io.mgtm.bench.load;

import java.util.concurrent.atomic.AtomicLong;

/** How often a client was answered, and the longest that it waited for it. */
final class ClientWait {
  private final AtomicLong served = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();

  /** An answer came. The client's thread. */
  void served(long nanos) {
    if (nanos > longestNanos.get()) {
      longestNanos.set(nanos);
    }
    served.lazySet(served.getPlain() + 1);
  }

  /** How many answers came. Any thread. */
  long served() {
    return served.get();
  }

  /** The longest wait among those that ended since this was asked last. Any thread. */
  long takeLongestNanos() {
    return longestNanos.getAndSet(0);
  }
}
