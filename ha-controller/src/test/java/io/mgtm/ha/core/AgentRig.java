package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import java.util.Map;

/** An agent with the two resources of {@link Clusters}, and what happens to it. */
abstract class AgentRig extends RecordedEffects {
  static final int LEASE_MS = 4_000;
  static final Seen FIRST = new Seen(1, 10);
  static final Seen SECOND = new Seen(1, 11);

  long now = 100;
  final NodeAgent agent = new NodeAgent("a1", 3, this);

  final void configure(int localRecoveries) {
    Policy d = Policy.defaults();
    agent.configured(
        Clusters.config(
            new Policy(
                localRecoveries,
                d.localRecoveryWindowMs(),
                d.failover(),
                d.failoverBetweenSites(),
                d.betweenSitesWaitMs(),
                d.failback(),
                d.failoversMax(),
                d.failoversWindowMs())),
        Map.of(),
        now);
  }

  final void grant(Seen seen, Order order) {
    agent.granted(grant(3, last.seq(), seen, order == null ? Map.of() : Map.of(DB, order)), now);
  }

  final Grant grant(long incarnation, long seq, Seen seen, Map<String, Order> orders) {
    return new Grant("a1", incarnation, seq, now, seen, LEASE_MS, 1_000, orders);
  }

  static Order run(long epoch) {
    return new Order(true, epoch, true, Map.of());
  }

  static Order stop(long epoch) {
    return new Order(false, epoch, true, Map.of());
  }

  final void tick(long ms) {
    now += ms;
    agent.tick(now);
  }

  final Call call(String resource, Kind kind) {
    return calls.stream()
        .filter(each -> each.resource().equals(resource) && each.kind() == kind)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " of " + resource + " in " + calls));
  }

  final void ends(String resource, Kind kind, ResourceState state) {
    ends(resource, kind, state, Map.of());
  }

  final void ends(String resource, Kind kind, ResourceState state, Map<String, String> data) {
    Call call = call(resource, kind);
    calls.remove(call);
    agent.ended(call.id(), new Result(state, "as told", data), now);
  }

  final State state() {
    return last.reports().get(DB).state();
  }

  final void looksAndFinds(ResourceState found) {
    ends(VOLUME, Kind.QUICK_CHECK, found);
    ends(POSTGRES, Kind.QUICK_CHECK, found);
  }

  final void comesInService() {
    comesInService(1);
  }

  final void comesInService(int localRecoveries) {
    configure(localRecoveries);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN);
    ends(POSTGRES, Kind.IN_SERVICE, ResourceState.IN);
    tick(1);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(calls).isEmpty();
  }
}
