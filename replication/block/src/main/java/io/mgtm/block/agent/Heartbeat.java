package io.mgtm.block.agent;

import java.util.function.Consumer;

/**
 * A beat of the agent's clock, which fails once and for all: an agent whose clock stands must not
 * serve on, for nothing would be retried, marked or timed out any more.
 */
final class Heartbeat implements Runnable {
  private final Runnable beat;
  private final Consumer<Throwable> failed;
  private boolean dead;

  /**
   * A heartbeat.
   *
   * @param failed told once of what {@code beat} threw
   */
  Heartbeat(Runnable beat, Consumer<Throwable> failed) {
    this.beat = beat;
    this.failed = failed;
  }

  @Override
  public void run() {
    if (dead) {
      return;
    }
    try {
      beat.run();
    } catch (RuntimeException | Error e) {
      dead = true;
      failed.accept(e);
    }
  }
}
