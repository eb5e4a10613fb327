package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Deep checks that operators ask for. */
class CheckNowTest extends RecordedEffects {
  private final List<Result> told = new ArrayList<>();
  private final NodeAgent agent = new NodeAgent("a1", 3, this);
  private long now = 100;

  private void grant(boolean run) {
    agent.granted(
        new Grant(
            "a1",
            3,
            last.seq(),
            now,
            new Seen(1, now),
            1_000_000,
            1_000,
            Map.of(DB, new Order(run, 1, true, Map.of()))),
        now);
  }

  private void ends(Kind kind, ResourceState state) {
    List<Call> ended = calls.stream().filter(call -> call.kind() == kind).toList();
    assertThat(ended).as("%s in %s", kind, calls).isNotEmpty();
    calls.removeAll(ended);
    ended.forEach(call -> agent.ended(call.id(), new Result(state, "as told", Map.of()), now));
  }

  /** In service, and its first deep checks are done. */
  private void isInService() {
    agent.configured(Clusters.config(Policy.defaults()), Map.of(), now);
    ends(Kind.QUICK_CHECK, ResourceState.IN);
    grant(true);
    ends(Kind.DEEP_CHECK, ResourceState.IN);
    assertThat(calls).isEmpty();
  }

  private boolean asks() {
    return agent.checkNow(DB, POSTGRES, told::add, now);
  }

  private State state() {
    return last.reports().get(DB).state();
  }

  @Test
  void whatIsInServiceIsCheckedAtOnce() {
    isInService();
    assertThat(asks()).isTrue();
    assertThat(calls).extracting(Call::resource).containsExactly(POSTGRES);
    ends(Kind.DEEP_CHECK, ResourceState.IN);
    assertThat(told).extracting(Result::state).containsExactly(ResourceState.IN);
  }

  @Test
  void whatFailsIsRepairedAsAfterAnyCheck() {
    isInService();
    asks();
    ends(Kind.DEEP_CHECK, ResourceState.FAILED);
    assertThat(told).containsExactly(new Result(ResourceState.FAILED, "as told", Map.of()));
    assertThat(state()).isEqualTo(State.RECOVERING);
    assertThat(asks()).as("while it is repaired").isFalse();
  }

  @Test
  void whoAsksDuringACheckIsToldOfOneThatBeginsAfterwards() {
    isInService();
    asks();
    asks();
    asks();
    assertThat(calls).hasSize(1);
    ends(Kind.DEEP_CHECK, ResourceState.IN);
    assertThat(told).hasSize(1);
    ends(Kind.DEEP_CHECK, ResourceState.IN);
    assertThat(told).hasSize(3);
  }

  @Test
  void aCheckThatHangsIsToldToHaveFailedWhenAllIsEnded() {
    isInService();
    asks();
    now = calls.get(0).deadline() + HierarchyAgent.GRACE_MS + 1;
    agent.tick(now);
    assertThat(told).isEmpty();
    ends(Kind.END, ResourceState.OUT);
    assertThat(told).extracting(Result::state).containsExactly(ResourceState.FAILED);
  }

  @Test
  void aCheckThatGivesWayToAnOrderSaysNothingOfTheResource() {
    isInService();
    asks();
    now++;
    grant(false);
    ends(Kind.DEEP_CHECK, ResourceState.FAILED);
    assertThat(told).extracting(Result::state).containsExactly(ResourceState.UNKNOWN);
  }

  @Test
  void whatIsNotInServiceIsNotChecked() {
    assertThat(asks()).isFalse();
    isInService();
    assertThat(agent.checkNow(DB, "nothing", told::add, now)).isFalse();
    assertThat(agent.checkNow("nothing", POSTGRES, told::add, now)).isFalse();
    assertThat(calls).isEmpty();
  }
}
