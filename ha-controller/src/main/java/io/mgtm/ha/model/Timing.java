package io.mgtm.ha.model;

/**
 * How long things may take, in milliseconds.
 *
 * @param heartbeatMs how often each node tells the others how it stands
 * @param leaseMs how long a node may keep what it runs in service after it asked the leader
 * @param guardMs what the watchdog needs, at most, to end what runs without a lease
 * @param driftPercent by how much two clocks may differ in speed; leases are waited for so much
 *     longer
 */
public record Timing(int heartbeatMs, int leaseMs, int guardMs, int driftPercent) {

  public static Timing defaults() {
    return new Timing(500, 4_000, 1_000, 5);
  }

  /** After so long since a lease was given, it has ended and what it covered has stopped. */
  public long leaseOverMs() {
    return (leaseMs + guardMs) * (100L + driftPercent) / 100;
  }
}
