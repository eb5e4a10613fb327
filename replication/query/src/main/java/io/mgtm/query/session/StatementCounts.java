package io.mgtm.query.session;

import io.mgtm.query.sql.StatementClass;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** How many statements of each class clients have run. To count allocates nothing. Any thread. */
final class StatementCounts {
  private final Map<StatementClass, Counter> counts = new EnumMap<>(StatementClass.class);

  StatementCounts(MeterRegistry registry) {
    for (StatementClass each : StatementClass.values()) {
      counts.put(
          each,
          Counter.builder(QueryMetrics.PREFIX + "statements")
              .description("Statements of clients, by the class that explain has.")
              .tag("class", each.name())
              .register(registry));
    }
  }

  /** Counts what a segment executes or refuses. */
  void count(Segment segment) {
    if (segment.simple() != null) {
      count(segment.simple());
      return;
    }
    List<Step> steps = segment.steps();
    for (int i = 0; i < steps.size(); i++) {
      Prepared prepared = steps.get(i).prepared();
      if (prepared != null && (steps.get(i).type() == 'E' || prepared.refusal() != null)) {
        count(prepared);
      }
    }
  }

  private void count(Prepared prepared) {
    boolean unread = prepared.statement() == null && prepared.refusal() != null;
    StatementClass of = unread ? StatementClass.UNKNOWN : prepared.statementClass();
    counts.get(of).increment();
  }
}
