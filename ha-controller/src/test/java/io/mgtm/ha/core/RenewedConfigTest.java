package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.POSTGRES;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A log that is read after a start begins with configurations that are no longer. */
class RenewedConfigTest extends AgentRig {
  private static final Map<String, String> COPIES = Map.of("copies", "a1=x:1,b1=y:1");

  /** Another place of a copy, on a node that is new. */
  private void copiesMove() {
    Hierarchy was = used.get(DB);
    Map<String, Resource> resources = new LinkedHashMap<>(was.resources());
    Resource volume = resources.get(VOLUME);
    resources.put(VOLUME, new Resource(volume.kit(), volume.on(), COPIES, Map.of()));
    Hierarchy moved = new Hierarchy(was.nodes(), was.policy(), resources);
    agent.configured(
        Clusters.config(Policy.defaults()).withHierarchies(Map.of(DB, moved)),
        Map.of(DB, Map.of("b1", 2L)),
        now);
  }

  private Map<String, String> volumeIsUsedWith() {
    return used.get(DB).resources().get(VOLUME).parameters();
  }

  @Test
  void whatIsLookedAtIsOfTheNewest() {
    configure(1);
    Call old = call(VOLUME, Kind.QUICK_CHECK);
    copiesMove();
    assertThat(cancelled).isNotEmpty();
    looksAndFinds(ResourceState.IN);
    tick(1);
    assertThat(volumeIsUsedWith()).isEqualTo(COPIES);
    assertThat(call(VOLUME, Kind.QUICK_CHECK).id()).isNotEqualTo(old.id());
    looksAndFinds(ResourceState.IN);
    grant(FIRST, run(1));
    assertThat(state()).isEqualTo(State.IN);
  }

  @Test
  void nothingIsTouchedBeforeItIsToldWhatShallBe() {
    configure(1);
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEqualTo(Map.of("looks", "true"));
    looksAndFinds(ResourceState.OUT);
    grant(FIRST, null);
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(10_000);
    assertThat(call(VOLUME, Kind.QUICK_CHECK).told()).isEmpty();
  }

  /** Its former controller has brought it in service by the newest. */
  @Test
  void whatWasAdoptedIsCheckedByTheNewestAndStaysInService() {
    Map<String, String> byAddress = Map.of("inSync", "y:1");
    configure(1);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, byAddress);
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    grant(FIRST, run(1));
    assertThat(state()).isEqualTo(State.IN);

    copiesMove();
    for (Call each : List.copyOf(calls)) {
      assertThat(each.kind()).isEqualTo(Kind.DEEP_CHECK);
      ends(each.resource(), each.kind(), ResourceState.IN, byAddress);
    }
    tick(1);
    assertThat(volumeIsUsedWith()).isEqualTo(COPIES);
    ends(VOLUME, Kind.QUICK_CHECK, ResourceState.IN, Map.of("inSync", "b1"));
    ends(POSTGRES, Kind.QUICK_CHECK, ResourceState.IN);
    tick(1);
    assertThat(state()).isEqualTo(State.IN);
    assertThat(calls).noneMatch(each -> each.kind() == Kind.OUT_OF_SERVICE);
    CopyReport word = last.reports().get(DB).copies().get(VOLUME);
    assertThat(word.inSync()).containsExactly("a1", "b1");
    assertThat(word.mark().joins()).isEqualTo(2);
  }

  /** A word that names copies by older parameters says nothing of nodes that came with newer. */
  @Test
  void wordByFormerParametersIsOfTheNodesOfThen() {
    configure(1);
    looksAndFinds(ResourceState.IN);
    grant(FIRST, run(1));
    copiesMove();
    ends(VOLUME, Kind.DEEP_CHECK, ResourceState.IN, Map.of("inSync", "y:1"));
    assertThat(last.reports().get(DB).copies().get(VOLUME).mark().joins()).isZero();
  }

  @Test
  void whatWasBegunWithAFormerOneIsTakenOutAndBroughtBack() {
    comesInService();
    copiesMove();
    ends(POSTGRES, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    ends(VOLUME, Kind.OUT_OF_SERVICE, ResourceState.OUT);
    tick(1);
    looksAndFinds(ResourceState.OUT);
    tick(1);
    assertThat(volumeIsUsedWith()).isEqualTo(COPIES);
    assertThat(call(VOLUME, Kind.IN_SERVICE)).isNotNull();
  }
}
