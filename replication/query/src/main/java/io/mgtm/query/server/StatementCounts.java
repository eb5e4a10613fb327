package io.mgtm.query.server;

import io.mgtm.query.sql.StatementClass;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How many statements of each class clients have run. To count allocates nothing. Any thread. */
final class StatementCounts {
  private final Map<StatementClass, LongAdder> counts = new EnumMap<>(StatementClass.class);

  StatementCounts() {
    for (StatementClass each : StatementClass.values()) {
      counts.put(each, new LongAdder());
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

  /** Appends them for Prometheus. */
  void appendTo(StringBuilder out, String name) {
    counts.forEach(
        (each, count) -> out.append("%s{class=\"%s\"} %d\n".formatted(name, each, count.sum())));
  }
}
