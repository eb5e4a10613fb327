package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A third copy that was promoted by force, and demoted again, meets what the others are by then: it
 * may be given up for one that goes on, and for no other.
 */
class SourceChoiceTest {
  private static final Generations FIRST = Generations.NONE.with(1);
  private static final Generations FORCED = FIRST.with(2);

  private final ModelWorld world = new ModelWorld(1, ModelFault.NONE, false);
  private final ModelNode node = world.nodes.get(1);
  private final VolumeCore core = newest();
  private final List<String> refusals = new ArrayList<>();

  SourceChoiceTest() {
    world.promotions.forgotten(); // one was promoted by force
  }

  /** A secondary that was promoted by force before. */
  private VolumeCore newest() {
    Standing standing = Standing.fresh(Role.SECONDARY).orOf("1a").asNewest();
    VolumeState state =
        VolumeState.fresh("v", "c", 24, 3, Role.SECONDARY, FORCED)
            .withSlot("b", new VolumeState.Slot(1, false))
            .withStanding(standing);
    VolumeCore made =
        new VolumeCore(state, Map.of("b", new IntentBitmap(8)), CoreTiming.DEFAULT, node);
    node.core = made;
    return made;
  }

  private static Identity source(String volume, String id, Role role, Generations generations) {
    return new Identity(volume, "b", 24, 3, role, generations, true, false, true, "", id);
  }

  private static Outcome meet(VolumeCore at, Identity source) {
    return at.receiver().meet(source, null).outcome();
  }

  private String discard() {
    core.administration().demote(true, refusals::add);
    for (int turn = 0; turn < 100 && refusals.isEmpty(); turn++) {
      world.nodes.get(1).pending.remove(0).run();
    }
    return refusals.get(refusals.size() - 1);
  }

  @Test
  void itIsNotGivenUpForAnOlderCopy() {
    for (Role role : Role.values()) {
      assertThat(meet(core, source("v", "1a", role, FIRST))).isEqualTo(Outcome.SOURCE_OUTDATED);
    }
    assertThat(discard()).contains("no copy could be promoted").contains("'promote --force' there");
  }

  @Test
  void itIsGivenUpForARelayOfAPrimaryThatInsists() {
    assertThat(meet(core, source("v", "1a", Role.SECONDARY, FIRST.with(3))))
        .isEqualTo(Outcome.SPLIT_BRAIN);
    assertThat(discard()).isNull();
    assertThat(core.state().discard()).isTrue();
  }

  @Test
  void itIsGivenUpForACopyThatWasPromotedInItsPlace() {
    assertThat(meet(core, source("v", "1a", Role.PRIMARY, FIRST.with(3))))
        .isEqualTo(Outcome.SPLIT_BRAIN);
    assertThat(discard()).isNull();
  }

  @Test
  void itIsNotGivenUpForAnotherVolume() {
    assertThat(meet(core, source("v", "2b", Role.PRIMARY, FIRST))).isEqualTo(Outcome.MISMATCH);
    assertThat(meet(core, source("w", "1a", Role.PRIMARY, FIRST))).isEqualTo(Outcome.MISMATCH);
    assertThat(discard()).contains("no copy could be promoted");
  }

  @Test
  void aPrimaryThatIsPromotedByForceBeginsAGeneration() {
    core.administration().promote(Grounds.TESTIMONY, List.of(), refusals::add);
    node.pending.remove(0).run();
    Generations promoted = core.state().generations();
    core.administration().promote(Grounds.TESTIMONY, List.of(), refusals::add);
    assertThat(node.pending).as("without force nothing changes").isEmpty();
    core.administration().promote(Grounds.FORCE, List.of(), refusals::add);
    node.pending.remove(0).run();
    assertThat(refusals).containsExactly(null, null, null);
    assertThat(core.state().generations().ids()).hasSize(4).containsAll(promoted.ids());
  }

  @Test
  void whatWasSeenBeforeAPromotionIsToBeSeenAgain() {
    meet(core, source("v", "1a", Role.PRIMARY, FIRST.with(3)));
    core.administration().promote(Grounds.TESTIMONY, List.of(), refusals::add);
    assertThat(discard()).contains("no copy could be promoted");
  }
}
