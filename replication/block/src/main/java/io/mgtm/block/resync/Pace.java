package io.mgtm.block.resync;

/**
 * How much of a resync or verify is under way on a link. A window bounds it always. While clients
 * write, only the minimum rate is taken where a client would be held up: by what is before its
 * write on the way to the replica, or by what the replica's disk was given beside its flush. Not
 * thread-safe.
 */
public final class Pace {
  /** What a client's write finds before it is about so much time's worth, within bounds. */
  private static final long BEFORE_A_WRITE_MS = 2;

  private static final long BEFORE_A_WRITE_BYTES_MIN = 64 << 10;
  private static final long BEFORE_A_WRITE_BYTES_MAX = 1 << 20;

  /** Over so much time it is measured what gets through. */
  private static final long MEASURED_MS = 100;

  /** What may be sent while a client waits for the replica's stable storage. */
  private static final long BYTES_BESIDE_A_FLUSH = 2 << 20;

  private final long windowBytes;
  private final RateLimiter limiter;
  private long bytesUnderWay;
  private long bytesSinceFlush;
  private long bytesBeforeWrite = 256 << 10;
  private long bytesThrough;
  private long measuredFromMs;

  /** A pace with at most {@code windowBytes} under way, at the limiter's rates. */
  public Pace(long windowBytes, RateLimiter limiter) {
    this.windowBytes = windowBytes;
    this.limiter = limiter;
  }

  /** Whether there is room in the window. */
  public boolean hasRoom() {
    return bytesUnderWay < windowBytes;
  }

  /**
   * Whether {@code bytes} may be sent at {@code nowMs}; if so the limiter counts them.
   *
   * @param flushAwaited whether a client waits for the replica's stable storage
   */
  public boolean tryTake(long bytes, boolean flushAwaited, long nowMs) {
    boolean inTheWay =
        bytesUnderWay >= bytesBeforeWrite
            || (flushAwaited && bytesSinceFlush >= BYTES_BESIDE_A_FLUSH);
    return limiter.tryTake(bytes, inTheWay, nowMs);
  }

  /** So many bytes are under way now. */
  public void began(long bytes) {
    bytesUnderWay += bytes;
    bytesSinceFlush += bytes;
  }

  /** So many bytes reached the replica, or need not. */
  public void ended(long bytes) {
    bytesUnderWay -= bytes;
    bytesThrough += bytes;
  }

  /** Time passes: a line that carries more has more before a write. */
  public void tick(long nowMs) {
    long elapsedMs = nowMs - measuredFromMs;
    if (elapsedMs < MEASURED_MS) {
      return;
    }
    if (bytesThrough > 0) {
      bytesBeforeWrite =
          Math.min(
              BEFORE_A_WRITE_BYTES_MAX,
              Math.max(BEFORE_A_WRITE_BYTES_MIN, bytesThrough * BEFORE_A_WRITE_MS / elapsedMs));
    }
    bytesThrough = 0;
    measuredFromMs = nowMs;
  }

  /** Nothing is under way any more. */
  public void reset() {
    bytesUnderWay = 0;
  }

  /** Clients wrote at {@code nowMs}; see {@link RateLimiter#clientsBusy}. */
  public void clientsBusy(long nowMs) {
    limiter.clientsBusy(nowMs);
  }

  /** A client's flush goes to the replica. */
  public void flushBegan() {
    bytesSinceFlush = 0;
  }
}
