package io.mgtm.query.session;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Which Bind each Execute of a unit is of. Belongs to a session. */
final class Binds {
  /** By the portal's name. */
  private final Map<String, Step> last = new HashMap<>();

  /** By Execute. */
  private final IdentityHashMap<Step, Step> all = new IdentityHashMap<>();

  /** More of the unit. */
  void add(List<Segment> more) {
    for (Segment segment : more) {
      for (Step step : segment.steps()) {
        if (step.type() == 'B') {
          last.put(step.name(), step);
        } else if (step.type() == 'E') {
          all.put(step, last.get(step.name()));
        }
      }
    }
  }

  /** Starts again with these segments, and forgets what was bound before. */
  void begin(List<Segment> segments) {
    last.clear();
    add(segments);
  }

  /** Null where it was bound before the unit. */
  Step of(Step execute) {
    return all.get(execute);
  }

  /** In which format rows of an Execute come that the replicator has them return. */
  int formatOf(Step execute) {
    Step bind = of(execute);
    if (bind == null || !execute.rows().returning()) {
      return 0;
    }
    int[] formats = Step.resultFormats(bind.afterNames());
    return formats.length == 1 ? formats[0] : 0;
  }
}
