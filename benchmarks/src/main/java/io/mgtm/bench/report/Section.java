package io.mgtm.bench.report;

import java.util.List;

/**
 * A part of the report, whether it ran or not.
 *
 * @param reason why there are no figures, or not all; empty when it ran
 * @param seconds that it took
 */
public record Section(
    String id,
    String title,
    Outcome outcome,
    String reason,
    double seconds,
    Measured measured,
    List<Citation> citations) {
  /** What became of it. */
  public enum Outcome {
    RAN,
    /** Something is missing, or there was no time left. */
    NOT_RUN,
    /** It was begun, and came to no end. */
    FAILED
  }

  static Section notRun(Part part, String reason) {
    return new Section(
        part.id(), part.title(), Outcome.NOT_RUN, reason, 0, Measured.NOTHING, part.citations());
  }

  /** With what the part has found, also when it failed. */
  static Section of(Part part, Outcome outcome, String reason, double seconds) {
    return new Section(
        part.id(), part.title(), outcome, reason, seconds, part.found(), part.citations());
  }

  /** Whether nothing is wrong; a part that cannot run here is not. */
  public boolean clean() {
    return outcome != Outcome.FAILED && measured.findings().isEmpty();
  }
}
