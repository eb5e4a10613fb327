package io.mgtm.bench.report;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A benchmark that the report runs. One thread calls it. */
public interface Part {
  /** Its name in {@code --only}. */
  String id();

  /** For people. */
  String title();

  /** How long it may take, in seconds; it is interrupted then. */
  int secondsMax();

  /** What others have published of the same. */
  default List<Citation> citations() {
    return List.of();
  }

  /** Why it cannot run here, and what to do about it; empty when it can. */
  default Optional<String> missing() throws IOException, InterruptedException {
    return Optional.empty();
  }

  /**
   * Measures, once, and ends all that it has started also when it fails or is interrupted.
   *
   * @throws IOException when it cannot; in one sentence
   */
  void measure() throws IOException, InterruptedException;

  /** What it has found so far; after it failed or was interrupted, what it had until then. */
  Measured found();
}
