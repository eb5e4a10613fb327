package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Batch;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Decision;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Scope;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MaintenanceWordsTest {
  private static ClusterState after(ClusterState state, OperatorCommand command) {
    Decision decision = new Decision(command, "anna", "", Map.of());
    return state.apply(new Batch(Batch.FORMAT, 1, 1, List.of(decision)));
  }

  private static final ClusterState NONE =
      after(ClusterState.EMPTY, new OperatorCommand.Configure(MetricsTest.CONFIG, 0));

  @Test
  void whatIsSoAlreadyIsSaidSo() {
    Maintain off = new Maintain(Scope.CLUSTER, "", false);
    assertThat(MaintenanceWords.done(off, NONE))
        .contains("the cluster is not in maintenance; nothing is");

    ClusterState node = after(NONE, new Maintain(Scope.NODE, "a", true));
    assertThat(MaintenanceWords.done(off, node))
        .contains("the cluster is not in maintenance; node a (--node) is");
    assertThat(MaintenanceWords.done(new Maintain(Scope.NODE, "a", true), node))
        .contains("node a is in maintenance already");
  }

  @Test
  void whatIsToBeDoneIsLeftToTheLeader() {
    assertThat(MaintenanceWords.done(new Maintain(Scope.CLUSTER, "", true), NONE)).isEmpty();
    assertThat(MaintenanceWords.done(new Maintain(Scope.NODE, "a", true), NONE)).isEmpty();
    assertThat(MaintenanceWords.done(new Maintain(Scope.NODE, "nobody", false), NONE)).isEmpty();
    assertThat(MaintenanceWords.done(new Maintain(Scope.HIERARCHY, "x", false), NONE)).isEmpty();
  }
}
