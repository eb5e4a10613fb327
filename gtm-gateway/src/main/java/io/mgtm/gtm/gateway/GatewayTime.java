package io.mgtm.gtm.gateway;

/** Time as a gateway sees it, so that a simulation can pass it in. */
interface GatewayTime {

  /** As {@link System#nanoTime}. */
  long nanos();

  /** Runs a task on the gateway's event loop, once. */
  void after(long delayMs, Runnable task);
}
