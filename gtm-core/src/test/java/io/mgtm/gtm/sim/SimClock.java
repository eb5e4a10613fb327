package io.mgtm.gtm.sim;

/** The clocks of a host: a monotonic one that is fast or slow, and a wall clock that steps too. */
final class SimClock {
  private static final long WALL_MICROS = 800_000_000_000_000L;

  private final World world;
  private double rate = 1;
  private long since;
  private long nanosThen;
  private long wallStepMicros;

  SimClock(World world) {
    this.world = world;
    this.since = world.now();
    this.nanosThen = world.random.nextLong(1L << 50);
  }

  long nanos() {
    return nanosThen + (long) ((world.now() - since) * rate);
  }

  /** Microseconds since 2000. */
  long wallMicros() {
    return WALL_MICROS + nanos() / 1_000 + wallStepMicros;
  }

  /** How long it really takes until so many of its own nanoseconds are over. */
  long real(long nanos) {
    return (long) (nanos / rate);
  }

  void setRate(double now) {
    nanosThen = nanos();
    since = world.now();
    rate = now;
  }

  void stepWall(long ms) {
    wallStepMicros += ms * 1_000;
  }

  /** The machine is started again: its monotonic clock begins anew. */
  void reboot() {
    nanosThen = world.random.nextLong(1L << 50);
    since = world.now();
  }
}
