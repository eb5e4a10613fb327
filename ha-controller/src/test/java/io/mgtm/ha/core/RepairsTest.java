package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is repaired in place, with what stands on it. */
class RepairsTest extends AgentRig {
  /** The lower one is repaired, and both are in service then. */
  private void comesBack(int recoveries) {
    ends(VOLUME, Kind.RECOVER, ResourceState.IN);
    ends(POSTGRES, Kind.IN_SERVICE, ResourceState.IN);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(last.reports().get(DB).recoveries()).isEqualTo(recoveries);
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
    comesBack(1);
  }

  @Test
  void whatOnlyAsksAResourceStaysInServiceWhileThatIsRepaired() {
    repairedAlone = "volume";
    comesInService();
    tick(2_100);
    grant(FIRST, run(1));
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.FAILED);
    assertThat(state()).isEqualTo(State.RECOVERING);
    // It lacks what is repaired: that is no failure of its own.
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.FAILED);
    comesBack(1);
    assertThat(calls).extracting(Call::kind).doesNotContain(Kind.OUT_OF_SERVICE, Kind.RECOVER);
  }

  @Test
  void whatFailsForWhatItStandsOnIsRepairedAfterThat() {
    comesInService(2);
    now += 15_100;
    grant(FIRST, run(1));
    ends(VOLUME, Kind.DEEP_CHECK, ResourceState.IN);
    ends(POSTGRES, Kind.DEEP_CHECK, ResourceState.FAILED);
    Call repair = call(POSTGRES, Kind.RECOVER);
    now += 2_100;
    grant(FIRST, run(1));
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.OUT);
    assertThat(cancelled).containsExactly(repair.id());
    ends(POSTGRES, Kind.RECOVER, ResourceState.FAILED);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    comesBack(2);
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
    tick(600);
    assertThat(last.reports().get(DB).detail()).isEqualTo(POSTGRES + " " + Report.LEFT_ALONE);
    assertThat(calls).noneMatch(call -> call.kind() == Kind.RECOVER);

    tick(2_100);
    grant(FIRST, new Order(true, 1, false, Map.of()));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    tick(600);
    assertThat(last.reports().get(DB).detail()).isEqualTo("all of it is in service");
  }
}
