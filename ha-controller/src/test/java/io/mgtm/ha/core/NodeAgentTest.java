package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeAgentTest extends AgentRig {
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
    agent.granted(grant(2, 9, new Seen(9, 99), Map.of(DB, run(1))), now);
    tick(1);
    assertThat(state()).isEqualTo(State.OUT);
    assertThat(last.seen()).isEqualTo(SECOND);
  }

  @Test
  void thatItCountsTooLowIsHeardOfAHigherIncarnationAlone() {
    comesInService();
    agent.granted(Grant.overtaken("a1", 3, SECOND), now);
    agent.granted(Grant.overtaken("a2", 5, SECOND), now);
    agent.granted(grant(5, 9, SECOND, Map.of()), now);
    assertThat(overtakenBy).isZero();
    assertThat(last.seen()).isEqualTo(FIRST);
    agent.granted(Grant.overtaken("a1", 5, SECOND), now);
    assertThat(overtakenBy).isEqualTo(5);
  }

  @Test
  void whatIsInServiceThoughAllWasTakenOutIsTakenOutAgain() {
    comesInService();
    grant(SECOND, stop(1));
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(LEASE_MS * 10);
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    assertThat(state()).isEqualTo(State.STOPPING);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.OUT);
    tick(1);
    assertThat(state()).isEqualTo(State.OUT);
  }

  @Test
  void whatIsStartedByHandInMaintenanceIsLeftAlone() {
    comesInService();
    grant(SECOND, stop(1));
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(LEASE_MS * 10);
    grant(SECOND, new Order(false, 1, false, Map.of()));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    assertThat(state()).isEqualTo(State.OUT);
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

  private static Order marked(Mark mark, Set<String> upToDate, Set<String> following) {
    Copies copies = new Copies(mark, upToDate, following, Map.of());
    return new Order(true, 1, true, Map.of(VOLUME, copies));
  }

  private void volumeIsInService(Order order, Map<String, String> data) {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, order);
    ends(VOLUME, Kind.IN_SERVICE, ResourceState.IN, data);
  }

  @Test
  void kitIsToldByACheckAtOnceThatTheStateHasItsWord() {
    volumeIsInService(run(1), Map.of("copy", "UpToDate", "inSync", "a2", "token", "t5"));
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    assertThat(word.mark()).isEqualTo(new Mark(1, 3, 1));
    assertThat(word.inSync()).containsExactly("a1", "a2");
    grant(SECOND, marked(new Mark(1, 2, 9), Set.of("a1"), Set.of()));
    assertThat(calls).noneMatch(call -> call.resource().equals(VOLUME));
    grant(SECOND, marked(word.mark(), word.inSync(), Set.of()));
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEqualTo(Map.of("noted", "t5"));
  }

  @Test
  void checkUnderWayIsFollowedByOneThatTellsTheKit() {
    volumeIsInService(run(1), Map.of("inSync", "", "token", "t5"));
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    tick(600);
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEmpty();
    grant(SECOND, marked(word.mark(), word.inSync(), Set.of()));
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, Map.of("inSync", "", "token", "t5"));
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEqualTo(Map.of("noted", "t5"));
  }

  @Test
  void newerWordIsNotTakenForTheOneThatTheStateHas() {
    volumeIsInService(run(1), Map.of("inSync", "a2,b1", "token", "t5"));
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    tick(600);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, Map.of("inSync", "a2", "token", "t6"));
    grant(SECOND, marked(word.mark(), word.inSync(), Set.of()));
    tick(600);
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEmpty();
  }

  @Test
  void wordOfAFailedCheckDoesNotChangeWhatIsMarked() {
    volumeIsInService(run(1), Map.of("inSync", "a2", "token", "t5"));
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    tick(600);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.FAILED, Map.of("inSync", "", "token", "t6"));
    assertThat(last.reports().get(DB).copies().get(VOLUME).mark()).isEqualTo(word.mark());
  }

  /** What a kit says may be as old as the call; the next check has it say so of the newer node. */
  @Test
  void wordIsOfTheNodesThatWereKnownWhenItWasAskedFor() {
    Map<String, String> said = Map.of("inSync", "a2");
    volumeIsInService(run(1), said);
    tick(600);
    Map<String, Map<String, Long>> joined = Map.of(DB, Map.of("a2", 3L, "b1", 2L));
    agent.configured(Clusters.config(Policy.defaults()), joined, now);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, said);
    tick(600);
    assertThat(last.reports().get(DB).copies().get(VOLUME).mark()).isEqualTo(new Mark(1, 3, 1, 0));
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, said);
    tick(1);
    assertThat(last.reports().get(DB).copies().get(VOLUME).mark()).isEqualTo(new Mark(1, 3, 2, 3));
  }

  @Test
  void kitIsToldOnWhatGroundsACopyComesInService() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    Mark former = new Mark(0, 2, 9);
    grant(FIRST, marked(former, Set.of("a1"), Set.of()));
    assertThat(call(VOLUME, Kind.IN_SERVICE).told()).isEqualTo(Map.of("vouched", "true"));
    Map<String, String> loss = Map.of("acceptLoss", "true");
    assertThat(new Copies(former, Set.of("a2"), Set.of("a1"), Map.of()).grounds("a1"))
        .isEqualTo(loss);
    assertThat(new Copies(new Mark(1, 0, 0), Set.of("a1"), Set.of(), Map.of()).grounds("a1"))
        .isEqualTo(loss);
    assertThat(new Copies(former, Set.of("a2"), Set.of(), Map.of()).grounds("a1")).isEmpty();
  }

  @Test
  void whatAKitDoesNotSayAnyMoreIsNotShown() {
    comesInService();
    postgresIsChecked(Map.of("leader", "g1"));
    assertThat(last.reports().get(DB).facts()).containsEntry(POSTGRES, Map.of("leader", "g1"));
    postgresIsChecked(Map.of());
    assertThat(last.reports().get(DB).facts()).doesNotContainKey(POSTGRES);
  }

  private void postgresIsChecked(Map<String, String> data) {
    for (int i = 0; i < 1_000 && calls.stream().noneMatch(c -> isCheckOfPostgres(c)); i++) {
      tick(100);
      grant(FIRST, run(1));
    }
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN, data);
    tick(1_000);
  }

  private static boolean isCheckOfPostgres(Call call) {
    return call.resource().equals(POSTGRES) && call.kind() == Kind.QUICK_CHECK;
  }

  /** All of it is out, and the next checks are under way. */
  private void isOutAndChecked() {
    configure(1);
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, null);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(10_000);
  }

  @Test
  void whatLeavesIsForgottenWhenItsCallsHaveEnded() {
    isOutAndChecked();
    agent.configured(Clusters.config(Policy.defaults()).withHierarchies(Map.of()), Map.of(), now);
    assertThat(state()).isEqualTo(State.OUT);
    looksAndFinds(ResourceState.OUT);
    tick(1_000);
    assertThat(last.reports()).isEmpty();
  }

  @Test
  void whileACallRunsCallsAreOfWhatItWas() {
    isOutAndChecked();
    Hierarchy was = used.get(DB);
    Hierarchy less =
        new Hierarchy(was.nodes(), was.policy(), Map.of(VOLUME, was.resources().get(VOLUME)));
    ClusterConfig config = Clusters.config(Policy.defaults()).withHierarchies(Map.of(DB, less));
    agent.configured(config, Map.of(), now);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.OUT);
    tick(1);
    assertThat(used.get(DB)).as("while the other check is under way").isEqualTo(was);
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.OUT);
    tick(1);
    assertThat(used.get(DB).resources()).containsOnlyKeys(VOLUME);
  }

  /** Else many checks at once would end what is well. */
  @Test
  void aCheckThatWaitsForItsTurnHasItsTimeWhenItBegins() {
    comesInService();
    underLease(3);
    waiting.add(call(POSTGRES, Kind.QUICK_CHECK).id());
    waiting.add(call(VOLUME, Kind.QUICK_CHECK).id());
    underLease(60);
    assertThat(state()).isEqualTo(State.IN);
    waiting.clear();
    underLease(11);
    assertThat(state()).isEqualTo(State.IN);
    underLease(1);
    assertThat(state()).isNotEqualTo(State.IN);
  }

  private void underLease(int seconds) {
    for (int i = 0; i < seconds; i++) {
      grant(FIRST, run(1));
      tick(1_000);
    }
  }
}
