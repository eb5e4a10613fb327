package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RedundancyTest {
  private static ClusterState state(Set<String> upToDate, Set<String> following) {
    return Clusters.apply(
        Clusters.state(Policy.defaults()),
        1,
        new Place(DB, "a1", 1, Set.of()),
        new MarkCopies(DB, VOLUME, new Mark(1, 1, 1), upToDate, following));
  }

  private static List<String> warnings(ClusterState state, Map<String, String> facts) {
    Report report =
        new Report(
            State.IN,
            1,
            0,
            "",
            "",
            true,
            Map.of(VOLUME, ResourceState.IN),
            Map.of(VOLUME, Clusters.primary(1, "a1")),
            Map.of(VOLUME, facts));
    return Redundancy.warnings(state, Map.of("a1", Map.of(DB, report)));
  }

  @Test
  void nothingIsLackingWhereAnotherCopyIsThere() {
    assertThat(warnings(state(Set.of("a1", "a2"), Set.of()), Map.of())).isEmpty();
    assertThat(warnings(state(Set.of("a1"), Set.of("b1")), Map.of("warning", ""))).isEmpty();
    assertThat(Redundancy.warnings(ClusterState.EMPTY, Map.of())).isEmpty();
  }

  @Test
  void onlyCopyIsToldByTheState() {
    assertThat(warnings(state(Set.of("a1"), Set.of()), Map.of()))
        .containsExactly("db: volume on a1: NOT PROTECTED: no other node's copy is up to date");
  }

  @Test
  void whatThePrimarySaysIsToldWithWhatALinkIsRefusedFor() {
    Map<String, String> facts =
        Map.of("warning", "less protected: no up-to-date copy at x:1", "why.x:1", "it has 1G");
    assertThat(warnings(state(Set.of("a1", "a2"), Set.of()), facts))
        .containsExactly(
            "db: volume on a1: less protected: no up-to-date copy at x:1; x:1: it has 1G");
  }
}
