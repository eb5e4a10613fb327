package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeAgentTest implements NodeEffects {
  private static final int LEASE_MS = 4_000;
  private static final Seen FIRST = new Seen(1, 10);
  private static final Seen SECOND = new Seen(1, 11);

  private final List<Call> calls = new ArrayList<>();
  private final List<Long> cancelled = new ArrayList<>();
  private final List<String> guards = new ArrayList<>();
  private final List<String> marks = new ArrayList<>();
  private Heartbeat last;
  private long now = 100;
  private final NodeAgent agent = new NodeAgent("a1", 3, this);

  @Override
  public void send(Heartbeat heartbeat) {
    last = heartbeat;
  }

  @Override
  public void call(Call call) {
    calls.add(call);
  }

  @Override
  public void cancel(long callId) {
    cancelled.add(callId);
  }

  @Override
  public void guard(String hierarchy, Set<String> resources, long deadline) {
    guards.add(resources.isEmpty() ? "none" : "until " + deadline);
  }

  @Override
  public void marked(String hierarchy, String resource, String token, Set<String> upToDate) {
    marks.add(token + " " + upToDate);
  }

  private void configure(int localRecoveries) {
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
        now);
  }

  private void grant(Seen seen, Order order) {
    agent.granted(
        new Grant(
            "a1", 3, last.seq(), now, seen, LEASE_MS, order == null ? Map.of() : Map.of(DB, order)),
        now);
  }

  private static Order run(long epoch) {
    return new Order(true, epoch, true, Map.of());
  }

  private static Order stop(long epoch) {
    return new Order(false, epoch, true, Map.of());
  }

  private void tick(long ms) {
    now += ms;
    agent.tick(now);
  }

  /** The call of this kind that is under way. */
  private Call call(String resource, Kind kind) {
    return calls.stream()
        .filter(each -> each.resource().equals(resource) && each.kind() == kind)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " of " + resource + " in " + calls));
  }

  private void ends(String resource, Kind kind, ResourceState state) {
    ends(resource, kind, state, Map.of());
  }

  private void ends(String resource, Kind kind, ResourceState state, Map<String, String> data) {
    Call call = call(resource, kind);
    calls.remove(call);
    agent.ended(call.id(), new Result(state, "as told", data), now);
  }

  private State state() {
    return last.reports().get(DB).state();
  }

  private void looksAndFinds(ResourceState found) {
    ends(VOLUME, Kind.QUICK_CHECK, found);
    ends(POSTGRES, Kind.QUICK_CHECK, found);
  }

  private void comesInService() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN);
    ends(POSTGRES, Kind.IN_SERVICE, ResourceState.IN);
    tick(1);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(calls).isEmpty();
  }

  @Test
  void comesInServiceBottomFirstUnderGuard() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    assertThat(guards).contains("until " + (now + LEASE_MS));
    assertThat(calls).hasSize(1);
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN);
    assertThat(state()).isEqualTo(State.STARTING);
    ends(POSTGRES, Kind.IN_SERVICE, ResourceState.IN);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(last.reports().get(DB).epoch()).isEqualTo(1);
  }

  @Test
  void whatRunsIsAdoptedUntouched() {
    configure(1);
    looksAndFinds(ResourceState.IN);
    assertThat(state()).isEqualTo(State.UNKNOWN);
    grant(FIRST, run(1));
    assertThat(state()).isEqualTo(State.IN);
    assertThat(calls).allMatch(call -> call.kind() == Kind.DEEP_CHECK);
  }

  @Test
  void isOutOnlyWhenItHasTakenAllOut() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    tick(10);
    assertThat(state()).isEqualTo(State.UNKNOWN);
    grant(FIRST, null);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    assertThat(state()).isEqualTo(State.STOPPING);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    assertThat(state()).isEqualTo(State.OUT);
    assertThat(guards).endsWith("none");
  }

  @Test
  void leavesInOrderTopFirst() {
    comesInService();
    grant(SECOND, stop(1));
    assertThat(calls).hasSize(1);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    assertThat(state()).isEqualTo(State.OUT);
    assertThat(last.seen()).isEqualTo(SECOND);
  }

  @Test
  void olderOrdersAndOtherIncarnationsAreNotObeyed() {
    comesInService();
    grant(SECOND, stop(1));
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    grant(FIRST, run(1));
    agent.granted(new Grant("a1", 2, 9, now, new Seen(9, 99), LEASE_MS, Map.of(DB, run(1))), now);
    tick(1);
    assertThat(state()).isEqualTo(State.OUT);
    assertThat(last.seen()).isEqualTo(SECOND);
  }

  @Test
  void endedLeaseEndsAllAtOnce() {
    comesInService();
    tick(LEASE_MS - LEASE_MS / 8);
    assertThat(call("", Kind.END)).isNotNull();
    ends("", Kind.END, ResourceState.OUT);
    assertThat(guards).endsWith("none");
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    assertThat(state()).isEqualTo(State.OUT);
    grant(SECOND, run(1));
    assertThat(call(VOLUME, Kind.IN_SERVICE)).isNotNull();
  }

  @Test
  void failedResourceIsRepairedWithWhatStandsOnIt() {
    comesInService();
    tick(2_100);
    grant(FIRST, run(1));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.FAILED);
    assertThat(state()).isEqualTo(State.RECOVERING);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.RECOVER, ResourceState.IN);
    ends(POSTGRES, Kind.IN_SERVICE, ResourceState.IN);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(last.reports().get(DB).recoveries()).isEqualTo(1);
  }

  @Test
  void givesUpWhenThePolicySaysSo() {
    comesInService();
    tick(2_100);
    grant(FIRST, run(1));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.OUT);
    ends(POSTGRES, Kind.RECOVER, ResourceState.FAILED);
    assertThat(state()).isEqualTo(State.FAILED);
    assertThat(last.reports().get(DB).failed()).isEqualTo(POSTGRES);
  }

  @Test
  void nothingIsRepairedInMaintenance() {
    comesInService();
    tick(2_100);
    grant(FIRST, new Order(true, 1, false, Map.of()));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.OUT);
    tick(1);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(calls).noneMatch(call -> call.kind() == Kind.RECOVER);
  }

  @Test
  void nodeThatCannotStartSaysSo() {
    configure(5);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.FAILED);
    assertThat(state()).isEqualTo(State.FAILED);
    assertThat(last.reports().get(DB).failed()).isEqualTo(VOLUME);
  }

  @Test
  void callThatDoesNotEndIsEnded() {
    comesInService();
    tick(2_100);
    grant(FIRST, run(1));
    for (int i = 0; i < 4; i++) {
      tick(2_900);
      grant(FIRST, run(1));
    }
    assertThat(call("", Kind.END)).isNotNull();
    assertThat(state()).isEqualTo(State.STOPPING);
    ends("", Kind.END, ResourceState.OUT);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(1);
    assertThat(call(VOLUME, Kind.IN_SERVICE)).isNotNull();
  }

  @Test
  void whatCannotBeTakenOutIsEndedAndThenStuck() {
    comesInService();
    grant(SECOND, stop(1));
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.FAILED);
    ends("", Kind.END, ResourceState.OUT);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.FAILED);
    assertThat(state()).isEqualTo(State.STUCK);
  }

  @Test
  void checkUnderWayGivesWayToAnOrder() {
    comesInService();
    tick(2_100);
    Call check = call(POSTGRES, Kind.QUICK_CHECK);
    grant(SECOND, stop(1));
    assertThat(cancelled).contains(check.id());
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.FAILED);
    assertThat(call(POSTGRES, Kind.OUT_OF_SERVICE)).isNotNull();
  }

  @Test
  void kitGoesOnWhenTheStateHasItsWord() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    Map<String, String> data = Map.of("copy", "UpToDate", "inSync", "a2", "token", "t5");
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN, data);
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    assertThat(word.mark()).isEqualTo(new Mark(1, 3, 1));
    assertThat(word.inSync()).containsExactly("a1", "a2");
    assertThat(marks).isEmpty();
    Copies other = new Copies(new Mark(1, 2, 9), Set.of("a1"), true);
    grant(SECOND, new Order(true, 1, true, Map.of(VOLUME, other)));
    assertThat(marks).isEmpty();
    Copies same = new Copies(word.mark(), word.inSync(), true);
    grant(SECOND, new Order(true, 1, true, Map.of(VOLUME, same)));
    assertThat(marks).containsExactly("t5 [a1, a2]");
  }

  @Test
  void wordOfAFailedCheckDoesNotChangeWhatIsMarked() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, run(1));
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN, Map.of("inSync", "a2", "token", "t5"));
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    tick(2_100);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.FAILED, Map.of("inSync", "", "token", "t6"));
    grant(
        SECOND,
        new Order(true, 1, true, Map.of(VOLUME, new Copies(word.mark(), word.inSync(), false))));
    assertThat(marks).containsExactly("t5 [a1, a2]");
  }
}
