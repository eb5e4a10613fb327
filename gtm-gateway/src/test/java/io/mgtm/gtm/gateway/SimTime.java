package io.mgtm.gtm.gateway;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Simulated time: what is due next happens next. */
final class SimTime implements GatewayTime {
  private static final long NANOS_PER_MS = 1_000_000;

  private record Event(long atNanos, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
  private long nowNanos;
  private long orders;

  @Override
  public long nanos() {
    return nowNanos;
  }

  long millis() {
    return nowNanos / NANOS_PER_MS;
  }

  @Override
  public void after(long delayMs, Runnable task) {
    afterNanos(delayMs * NANOS_PER_MS, task);
  }

  void afterNanos(long delayNanos, Runnable task) {
    events.add(new Event(nowNanos + delayNanos, orders++, task));
  }

  /** Lets the next event happen; false when there is none. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nowNanos = next.atNanos();
    next.task().run();
    return true;
  }
}
