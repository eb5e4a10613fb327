package io.mgtm.gtm.front;

/** Time as a front sees it, so that a simulation can pass it in. */
interface FrontTime {

  /** As {@link System#nanoTime}. */
  long nanos();

  /** Runs a task on the front's event loop, once. */
  void after(long delayMs, Runnable task);
}
