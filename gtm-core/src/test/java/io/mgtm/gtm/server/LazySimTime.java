package io.mgtm.gtm.server;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Simulated time: what is due next happens next. */
final class LazySimTime {
  private record Event(long atMicros, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::order));
  private long nowMicros;
  private long orders;

  long micros() {
    return nowMicros;
  }

  void after(long delayMicros, Runnable task) {
    events.add(new Event(nowMicros + delayMicros, orders++, task));
  }

  /** Another number each time. */
  int nextNumber() {
    return (int) orders++;
  }

  /** Lets the next event happen; false when there is none. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nowMicros = next.atMicros();
    next.task().run();
    return true;
  }
}
