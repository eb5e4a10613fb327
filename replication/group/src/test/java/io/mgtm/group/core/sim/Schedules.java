package io.mgtm.group.core.sim;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * What came of many schedules.
 *
 * @param acknowledged operations
 * @param losses times that entries were lost
 */
record Schedules(int count, long seconds, long acknowledged, long losses) {

  /**
   * Runs as many as {@code -Dschedules=N} says, several at once; or the one that {@code -Dseed=N}
   * names, of which there is nothing to tell.
   *
   * @param run runs one of a seed
   */
  static Optional<Schedules> run(int countDefault, LongFunction<GroupSimulation.Outcome> run) {
    Long seed = Long.getLong("seed");
    if (seed != null) {
      var unused = run.apply(seed);
      return Optional.empty();
    }
    int count = Integer.getInteger("schedules", countDefault);
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong losses = new AtomicLong();
    long startNanos = System.nanoTime();
    LongStream.range(0, count)
        .parallel()
        .forEach(
            number -> {
              GroupSimulation.Outcome outcome = run.apply(number);
              acknowledged.addAndGet(outcome.acknowledged());
              losses.addAndGet(outcome.losses());
            });
    long seconds = (System.nanoTime() - startNanos) / 1_000_000_000;
    return Optional.of(new Schedules(count, seconds, acknowledged.get(), losses.get()));
  }

  /**
   * Prints it.
   *
   * @param loss what has happened at each loss
   */
  void print(String loss) {
    System.out.printf(
        "%d schedules in %d s: %d operations acknowledged, %d times %s%n",
        count, seconds, acknowledged, losses, loss);
  }
}
