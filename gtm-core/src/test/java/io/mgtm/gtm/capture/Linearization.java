package io.mgtm.gtm.capture;

import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The order in which the original may have served what was recorded. Requests that overlapped in
 * time were served in an order that no recording shows: each step takes one of those that can come
 * next and that gets the recorded answer, the earliest answered first.
 */
final class Linearization {
  private final List<Capture.Exchange> exchanges;
  private final StateUnderTest state;
  private final Predicate<Capture.Exchange> differs;

  /**
   * Makes one.
   *
   * @param differs exchanges that are known, and meant, to be answered otherwise
   */
  Linearization(
      List<Capture.Exchange> exchanges, StateUnderTest state, Predicate<Capture.Exchange> differs) {
    this.exchanges = exchanges;
    this.state = state;
    this.differs = differs;
  }

  /** The exchanges in an order in which each gets its answer; throws when there is none. */
  List<Capture.Exchange> find() throws WireException {
    List<Capture.Exchange> order = new ArrayList<>();
    Set<Capture.Exchange> left = new LinkedHashSet<>(exchanges);
    while (!left.isEmpty()) {
      Capture.Exchange next = step(candidates(left));
      order.add(next);
      left.remove(next);
    }
    return order;
  }

  /**
   * Those asked before the first answer of all that are left; the first of each connection only.
   */
  private static List<Capture.Exchange> candidates(Set<Capture.Exchange> left) {
    double firstAnswer = Double.MAX_VALUE;
    Set<Integer> connections = new HashSet<>();
    List<Capture.Exchange> candidates = new ArrayList<>();
    for (Capture.Exchange e : left) {
      if (e.askedAt() > firstAnswer) {
        break;
      }
      if (connections.add(e.conn())) {
        candidates.add(e);
        firstAnswer = Math.min(firstAnswer, e.answeredAt());
      }
    }
    candidates.sort(java.util.Comparator.comparingDouble(Capture.Exchange::answeredAt));
    return candidates;
  }

  private Capture.Exchange step(List<Capture.Exchange> candidates) throws WireException {
    byte[] before = state.save();
    byte[] answer = null;
    for (Capture.Exchange candidate : candidates) {
      answer = state.ask(candidate.conn(), candidate.request());
      if (candidate.reply() == null
          || differs.test(candidate)
          || ReplyComparison.same(candidate.reply(), answer, state.proxied(candidate.conn()))) {
        return candidate;
      }
      state.restore(before);
    }
    Capture.Exchange first = candidates.get(0);
    java.util.HexFormat hex = java.util.HexFormat.of();
    throw new AssertionError(
        "at "
            + first.askedAt()
            + " s, connection "
            + first.conn()
            + ": request "
            + hex.formatHex(first.request())
            + " was answered "
            + hex.formatHex(first.reply())
            + ", now "
            + hex.formatHex(answer)
            + "; candidates: "
            + candidates.size());
  }
}
