package io.mgtm.bench.volume;

import io.mgtm.bench.report.Spread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What several servers did under the same load, in several rounds. One thread. */
final class Rounds {
  private final Map<String, List<Fio.Figures>> all = new HashMap<>();

  void add(String server, Fio.Figures figures) {
    all.computeIfAbsent(server, absent -> new ArrayList<>()).add(figures);
  }

  /** The median of a server's rounds. */
  double median(String server, ToDoubleFunction<Fio.Figures> figure) {
    return spread(server, figure).median();
  }

  /** A figure of a server's rounds. */
  Spread spread(String server, ToDoubleFunction<Fio.Figures> figure) {
    return Spread.of(all.get(server), figure);
  }
}
