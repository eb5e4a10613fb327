package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.primary;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.state;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.Clusters.Seen3;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Policy.Failback;
import io.mgtm.ha.model.Policy.Failover;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Situations of decision tables, and what is decided in them. */
final class DecisionRows {
  static final Policy BY_ITSELF = policy(Failover.AUTOMATIC, Failback.NEVER);
  static final Policy MANUAL_FIRST = policy(Failover.MANUAL_FIRST, Failback.NEVER);
  static final Policy MANUAL = policy(Failover.MANUAL, Failback.NEVER);
  static final Policy GOES_BACK = policy(Failover.MANUAL_FIRST, Failback.WHEN_IN_STEP);

  static Policy policy(Failover betweenSites, Failback failback) {
    return new Policy(
        3, 600_000, Failover.AUTOMATIC, betweenSites, 600_000, failback, 1, 3_600_000);
  }

  static final String OUTDATED =
      "its copy of volume is Outdated: it lacks what was acknowledged since 1970-01-01T00:00:00Z";

  /** A situation, what is seen in it, and what is decided. */
  record Row(
      String name, ClusterState state, UnaryOperator<Seen3> seen, List<ClusterCommand> decided) {
    void check() {
      assertThat(seen.apply(new Seen3(state)).decide()).isEqualTo(decided);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static ClusterState on(Policy policy, String node, String... inSync) {
    ClusterState placed = apply(state(policy), 0, new Place(DB, node, 1, Set.of()));
    return inSync.length == 0
        ? placed
        : apply(placed, 0, new MarkCopies(DB, VOLUME, new Mark(1, 1, 1), Set.of(inSync), Set.of()));
  }

  static UnaryOperator<Seen3> holder(String node, State said) {
    return seen -> seen.says(node, report(said, 1, primary(1, "a1", "a2", "b1")));
  }

  static Row row(
      String name, ClusterState state, UnaryOperator<Seen3> seen, ClusterCommand... decided) {
    return new Row(name, state, seen, List.of(decided));
  }

  static final String WAITS =
      "a1 its copy of volume is Inconsistent by its own word; a2 is silent; b1 " + OUTDATED;

  private DecisionRows() {}
}
