package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.secondary;
import static io.mgtm.ha.core.DecisionRows.BY_ITSELF;
import static io.mgtm.ha.core.DecisionRows.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Wait;
import io.mgtm.ha.core.Clusters.Seen3;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes, in time, of a hierarchy that fails wherever it is placed. */
class FailuresTest {
  private static final long HOUR_MS = 3_600_000;
  private static final long STEP_MS = 1_000;

  private final List<String> placed = new ArrayList<>();
  private final List<String> waited = new ArrayList<>();
  private Set<String> silent = Set.of();
  private boolean serves;
  private ClusterState state =
      apply(on(BY_ITSELF, "a1", "a1", "a2", "b1"), 0, new Leave(DB, 1, ""), new Release(DB, 1));

  /** Does what is decided until a time; what is placed has failed at once. */
  private void until(long end) {
    for (long at = 0; at <= end; at += STEP_MS) {
      for (List<ClusterCommand> next = decide(at); !next.isEmpty(); next = decide(at)) {
        for (ClusterCommand command : next) {
          state = apply(state, at, command);
          if (command instanceof Place place) {
            placed.add(place.node() + " " + at / 1_000);
          } else if (command instanceof Wait wait) {
            waited.add(wait.reason());
          }
        }
      }
    }
  }

  private List<ClusterCommand> decide(long at) {
    Seen3 seen = new Seen3(state).at(at);
    silent.forEach(node -> seen.silent(node, true));
    Placement placement = placement();
    if (placement.stage() == Stage.HELD) {
      seen.says(placement.node(), failed(placement.epoch()));
    }
    return seen.decide();
  }

  private Report failed(long epoch) {
    return new Report(
        State.FAILED,
        epoch,
        0,
        POSTGRES,
        "is slow",
        serves,
        Map.of(POSTGRES, ResourceState.FAILED),
        Map.of(Clusters.VOLUME, secondary()),
        Map.of());
  }

  private Placement placement() {
    return state.placements().get(DB);
  }

  @Test
  void onlyNodeIsTriedAgainSoonAndThenLessAndLessOften() {
    silent = Set.of("a2", "b1");
    until(HOUR_MS);
    assertThat(placed)
        .containsExactly(
            "a1 0", "a1 5", "a1 15", "a1 35", "a1 75", "a1 155", "a1 315", "a1 635", "a1 1235",
            "a1 1835", "a1 2435", "a1 3035");
    assertThat(waited)
        .startsWith(
            "a1 has failed: postgres: is slow, and is left out for 5 s; a2 is silent; b1 is silent",
            "a1 has failed: postgres: is slow, and is left out for 10 s; a2 is silent; b1 is silent")
        .last()
        .asString()
        .startsWith("a1 has failed: postgres: is slow, and is left out for 600 s");
  }

  @Test
  void startThatFailsEverywhereIsTriedEverywhereAgainAndIsNoFailover() {
    until(20_000);
    assertThat(placed)
        .containsExactly("a1 0", "a2 0", "b1 0", "b1 5", "a1 5", "a2 5", "a1 15", "a2 15", "b1 15");
    until(HOUR_MS);
    assertThat(placement().failovers()).hasSize(1);
    assertThat(placement().halted()).isEmpty();
  }

  @Test
  void serviceThatComesAndGoesIsStopped() {
    serves = true;
    until(HOUR_MS);
    assertThat(placed).containsExactly("a1 0", "a2 0", "b1 0");
    assertThat(placement().halted()).isEqualTo("it has failed over 4 times");
  }

  @Test
  void failureOfLongAgoIsForgotten() {
    silent = Set.of("a2", "b1");
    until(20_000);
    Placement.Failure third = placement().failures().get("a1");
    assertThat(third.again()).isEqualTo(2);
    long forgotten = 15_000 + 20_000 + 600_000;
    assertThat(third.isForgotten(forgotten - 1, 600_000)).isFalse();
    assertThat(third.isForgotten(forgotten, 600_000)).isTrue();
  }
}
