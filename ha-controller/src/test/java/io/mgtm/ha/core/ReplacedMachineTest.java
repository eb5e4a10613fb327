package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.TERM;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.primary;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.secondary;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Lead;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two machines that have one name, one after the other, and each with a controller. */
class ReplacedMachineTest implements LeaderEffects {
  private static final long FORMER = 1_000;
  private static final long PRESENT = 2_000;

  private final List<Grant> grants = new ArrayList<>();
  private final Leader leader = new Leader("b1", this, seen -> List.of());
  private ClusterState state;
  private long now = 10_000;
  private long seq;

  @BeforeEach
  void serveOnTheFormer() {
    state =
        apply(
            ClusterState.EMPTY,
            0,
            new Configure(Clusters.config(Policy.defaults()), 0),
            new Lead(TERM - 1, "b1"),
            new Place(DB, "a1", 1, Set.of()));
    leader.members(Map.of("a1", "former"), now);
    leader.leading(TERM, state, now, 0);
    leader.committed(now, 0);
    heard(FORMER, report(State.IN, 1, primary(1, "a1", "a2")));
    assertThat(grants).hasSize(1).allMatch(grant -> grant.orders().get(DB).run());
    grants.clear();
  }

  @Override
  public void append(Batch batch, ClusterState after) {
    state = after;
  }

  @Override
  public long confirm() {
    return 1;
  }

  @Override
  public void send(Grant grant) {
    grants.add(grant);
  }

  @Override
  public void reply(long request, Reply reply) {}

  @Override
  public void fence(long request, String node) {}

  @Override
  public void endFence(long request) {}

  private void heard(long incarnation, Report report) {
    seq++;
    Seen seen = new Seen(TERM, state.version());
    leader.heard(
        new Heartbeat("test", "a1", incarnation, seq, now, seen, seq - 1, Map.of(DB, report), null),
        "1",
        now);
    leader.confirmed(1, now);
  }

  @Test
  void thePresentOneGetsNothingBeforeTheFormersLeaseIsOver() {
    leader.members(Map.of("a1", "present"), now);
    long until = now + state.leasesOverMs();
    while (now < until) {
      heard(PRESENT, report(State.OUT, 0, secondary()));
      heard(FORMER, report(State.IN, 1, primary(1, "a1", "a2")));
      assertThat(grants).isEmpty();
      NodeView view = leader.views(now).get("a1");
      assertThat(view.report(DB)).as("its OUT says nothing of the former").isNull();
      now += 200;
    }
    heard(PRESENT, report(State.OUT, 0, secondary()));
    assertThat(grants).hasSize(1).allMatch(grant -> grant.incarnation() == PRESENT);
  }

  @Test
  void anotherStartOfTheSameOneGoesOnAtOnce() {
    leader.members(Map.of("a1", "former"), now);
    heard(PRESENT, report(State.UNKNOWN, 0, secondary()));
    assertThat(grants).hasSize(1).allMatch(grant -> grant.orders().get(DB).run());
  }

  @Test
  void itsLeaseIsOverWhenItIsNotHeardAnyMore() {
    leader.members(Map.of("a1", "present"), now);
    now += Timing.defaults().leaseOverMs() + state.leasesOverMs();
    assertThat(leader.views(now).get("a1").over()).containsExactly(DB);
  }
}
