package io.mgtm.group.member;

import io.mgtm.group.core.GroupCore;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Has the owner look at the time: every few milliseconds while anything is under way, and else when
 * the core next needs it, so that an idle member sleeps. Owner thread.
 */
final class Ticker {
  private final LongSupplier quietMs;
  private final MemberThreads threads;
  private final long tickMs;
  private final Consumer<Runnable> owner;
  private final Runnable tick;

  /** Of the look that is awaited; those that were awaited before it come to nothing. */
  private long number;

  /** Whether the awaited look is further away than one while something is under way. */
  private boolean far;

  /**
   * One that does not tick yet.
   *
   * @param quietMs for how long nothing needs the time, as far as is known now
   * @param tickMs from one look to the next while anything is under way
   * @param owner runs a task at once, on the owner thread
   * @param tick what looks at the time
   */
  Ticker(
      LongSupplier quietMs,
      MemberThreads threads,
      long tickMs,
      Consumer<Runnable> owner,
      Runnable tick) {
    this.quietMs = quietMs;
    this.threads = threads;
    this.tickMs = tickMs;
    this.owner = owner;
    this.tick = tick;
  }

  /** The ticker of a member, whose other timed work can wait for the next look of its core. */
  static Ticker of(
      GroupCore core,
      MemberThreads threads,
      GroupSettings settings,
      Consumer<Runnable> owner,
      Runnable tick) {
    return new Ticker(core::quietMs, threads, settings.tickMs(), owner, tick);
  }

  void start() {
    await(tickMs);
  }

  /** After whatever the owner did: something that is now under way does not wait for a far look. */
  void look() {
    if (far && quietMs.getAsLong() < tickMs) {
      await(tickMs);
    }
  }

  private void await(long ms) {
    far = ms > tickMs;
    long awaited = ++number;
    threads.after(ms, () -> due(awaited));
  }

  private void due(long awaited) {
    if (awaited == number) {
      owner.accept(this::lookAtTime);
    }
  }

  private void lookAtTime() {
    try {
      tick.run();
    } finally {
      await(Math.max(tickMs, quietMs.getAsLong()));
    }
  }
}
