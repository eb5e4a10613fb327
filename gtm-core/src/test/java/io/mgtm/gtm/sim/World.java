package io.mgtm.gtm.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Simulated time, chance, and the first promise that was broken. */
final class World {
  static final long MS = 1_000_000;
  private static final boolean TRACE = Boolean.getBoolean("trace");

  private record Event(long at, long order, Runnable task) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  final SplittableRandom random;
  final Tally tally = new Tally();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long orders;
  private Violation violation;

  World(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Something has happened that schedules are there for. */
  void note(Happening what) {
    tally.note(what);
  }

  /** Nanoseconds since the beginning. */
  long now() {
    return now;
  }

  long nowMs() {
    return now / MS;
  }

  /** Another number each time. */
  int nextNumber() {
    return (int) orders++;
  }

  /** How much has happened, which tells two schedules apart. */
  long events() {
    return orders;
  }

  void after(long nanos, Runnable task) {
    events.add(new Event(now + Math.max(0, nanos), orders++, task));
  }

  void afterMs(long ms, Runnable task) {
    after(ms * MS, task);
  }

  /** A delay below a bound. */
  long some(long nanos) {
    return random.nextLong(nanos);
  }

  /** True once in so many times. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  void runUntilMs(long untilMs) {
    while (!events.isEmpty() && events.peek().at() <= untilMs * MS) {
      Event event = events.poll();
      now = event.at();
      event.task().run();
      if (violation != null) {
        throw violation;
      }
    }
    now = untilMs * MS;
  }

  /** Notes what the code under test may catch on its way. */
  Violation violated(String message, Throwable cause) {
    if (violation == null) {
      violation = new Violation(message, cause);
    }
    return violation;
  }

  @SuppressWarnings("AnnotateFormatMethod")
  void check(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw violated(message.formatted(arguments), null);
    }
  }

  /** Tells what happens, when a single schedule is looked at with {@code -Dtrace=true}. */
  @SuppressWarnings("AnnotateFormatMethod")
  void trace(String format, Object... arguments) {
    if (TRACE) {
      System.out.printf("%10.3f  %s%n", now / (double) MS, format.formatted(arguments));
    }
  }
}
