package io.mgtm.block.resync;

/**
 * How much of a resync or verify is under way on a link. A window bounds it always. While clients
 * write, only the minimum rate is taken where a client would be held up: by what is before its
 * write on the way to the replica, or by what the replica's disk was given beside its flush. Both
 * are so much time's worth of what gets through. Not thread-safe.
 */
public final class Pace {
  /** A client's write finds so much time's worth before it, beyond what the way takes anyhow. */
  private static final long BEFORE_A_WRITE_MS = 2;

  private static final long BEFORE_A_WRITE_BYTES_MIN = 64 << 10;

  /** A client's flush takes about so much longer. */
  private static final long BESIDE_A_FLUSH_MS = 10;

  private static final long BESIDE_A_FLUSH_BYTES_MIN = 2 << 20;

  private final long windowBytes;
  private final RateLimiter limiter;
  private final Throughput throughput = new Throughput();
  private long bytesUnderWay;
  private long bytesSinceFlush;
  private long bytesBeforeWrite = 256 << 10;
  private long bytesBesideFlush = BESIDE_A_FLUSH_BYTES_MIN;

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
        bytesUnderWay >= bytesBeforeWrite || (flushAwaited && bytesSinceFlush >= bytesBesideFlush);
    return limiter.tryTake(bytes, inTheWay, nowMs);
  }

  /** So many bytes are under way now. */
  public void began(long bytes, long nowMs) {
    bytesUnderWay += bytes;
    bytesSinceFlush += bytes;
    throughput.began(bytes, nowMs);
  }

  /** So many bytes, the earliest of those under way, reached the replica, or need not. */
  public void ended(long bytes, long nowMs) {
    bytesUnderWay -= bytes;
    throughput.ended(bytes, nowMs);
  }

  /** Time passes: a line that carries more has more before a write. */
  public void tick(long nowMs) {
    if (throughput.tick(nowMs)) {
      bytesBeforeWrite =
          Math.max(
              BEFORE_A_WRITE_BYTES_MIN,
              throughput.bytesIn(throughput.leastDelayMs() + BEFORE_A_WRITE_MS));
      bytesBesideFlush = Math.max(BESIDE_A_FLUSH_BYTES_MIN, throughput.bytesIn(BESIDE_A_FLUSH_MS));
    }
  }

  /** Nothing is under way any more. */
  public void reset() {
    bytesUnderWay = 0;
    throughput.reset();
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
