package io.mgtm.gtm.sim;

import java.util.random.RandomGenerator;

/** The clocks of a host: a monotonic one that is fast or slow, and a wall clock that steps too. */
final class SimClock {
  private static final long HOUR_MICROS = 3_600_000_000L;
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

  /** From now on it is fast or slow, by a tenth at most. */
  void drift(RandomGenerator random) {
    nanosThen = nanos();
    since = world.now();
    rate = 0.9 + random.nextInt(200) / 1_000.0;
  }

  /** Somebody sets the wall clock, by an hour at most, and the drift is another. */
  void disturb(RandomGenerator random) {
    wallStepMicros += (random.nextBoolean() ? 1 : -1) * random.nextLong(HOUR_MICROS);
    drift(random);
  }

  /** The machine is started again: its monotonic clock begins anew. */
  void reboot() {
    nanosThen = world.random.nextLong(1L << 50);
    since = world.now();
  }
}
