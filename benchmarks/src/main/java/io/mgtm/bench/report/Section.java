package io.mgtm.bench.report;

import java.util.List;

/**
 * A part of the report, whether it ran or not.
 *
 * @param reason why there are no figures; empty when it ran
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

  private static final Measured NOTHING = new Measured(List.of(), List.of(), List.of());

  static Section ran(Part part, double seconds, Measured measured) {
    return new Section(
        part.id(), part.title(), Outcome.RAN, "", seconds, measured, part.citations());
  }

  static Section without(Part part, Outcome outcome, double seconds, String reason) {
    return new Section(
        part.id(), part.title(), outcome, reason, seconds, NOTHING, part.citations());
  }

  /** Whether nothing is wrong; a part that cannot run here is not. */
  public boolean clean() {
    return outcome != Outcome.FAILED && measured.findings().isEmpty();
  }
}
