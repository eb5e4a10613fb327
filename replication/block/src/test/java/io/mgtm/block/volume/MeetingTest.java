package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import org.junit.jupiter.api.Test;

class MeetingTest {
  private static final Generations FIRST = Generations.NONE.with(1);
  private static final Generations SECOND = FIRST.with(2);
  private static final Generations OTHER = FIRST.with(3);

  private static Identity side(String node, Role role, Generations generations) {
    return new Identity("v", node, 1 << 20, 65_536, role, generations, true, false, true, "", "");
  }

  private static Identity primary(Generations generations) {
    return side("a", Role.PRIMARY, generations);
  }

  private static Identity secondary(Generations generations) {
    return side("b", Role.SECONDARY, generations);
  }

  private static Outcome outcome(Identity source, Identity target) {
    return Meeting.decide(source, target).outcome();
  }

  @Test
  void twoCopiesThatAreOneNodeAreNotLinked() {
    Decision decision = Meeting.decide(primary(SECOND), side("a", Role.SECONDARY, FIRST));
    assertThat(decision.outcome()).isEqualTo(Outcome.SAME_NODE);
    assertThat(decision.reason()).contains("both are node a").contains("copied");
  }

  @Test
  void anEmptyTargetGetsEverything() {
    assertThat(outcome(primary(FIRST), secondary(Generations.NONE))).isEqualTo(Outcome.ALL_CHUNKS);
  }

  @Test
  void aTargetOfTheSameOrAnOlderGenerationGetsWhatChanged() {
    assertThat(outcome(primary(FIRST), secondary(FIRST))).isEqualTo(Outcome.CHANGED_CHUNKS);
    assertThat(outcome(primary(SECOND), secondary(FIRST))).isEqualTo(Outcome.CHANGED_CHUNKS);
  }

  @Test
  void aTargetThatIsNotTrackedGetsEverything() {
    Identity untracked =
        new Identity("v", "b", 1 << 20, 65_536, Role.SECONDARY, FIRST, true, false, false, "", "");
    assertThat(outcome(primary(SECOND), untracked)).isEqualTo(Outcome.ALL_CHUNKS);
  }

  @Test
  void aTargetLeftHalfWayByAnotherSourceGetsEverything() {
    Identity halfway =
        new Identity("v", "b", 1 << 20, 65_536, Role.SECONDARY, FIRST, false, false, true, "c", "");
    assertThat(outcome(primary(SECOND), halfway)).isEqualTo(Outcome.ALL_CHUNKS);
    Identity ours =
        new Identity("v", "b", 1 << 20, 65_536, Role.SECONDARY, FIRST, false, false, true, "a", "");
    assertThat(outcome(primary(SECOND), ours)).isEqualTo(Outcome.CHANGED_CHUNKS);
  }

  @Test
  void aNewerTargetIsNotOverwritten() {
    assertThat(outcome(primary(FIRST), secondary(SECOND))).isEqualTo(Outcome.SOURCE_OUTDATED);
    assertThat(outcome(primary(FIRST), side("b", Role.PRIMARY, SECOND)))
        .isEqualTo(Outcome.SOURCE_OUTDATED);
  }

  @Test
  void aSplitIsRefusedWithBothHistoriesInTheMessage() {
    Decision decision = Meeting.decide(primary(SECOND), side("b", Role.PRIMARY, OTHER));
    assertThat(decision.outcome()).isEqualTo(Outcome.SPLIT_BRAIN);
    assertThat(decision.reason())
        .contains(SECOND.toString())
        .contains(OTHER.toString())
        .contains("--discard");
    assertThat(outcome(primary(SECOND), secondary(OTHER))).isEqualTo(Outcome.SPLIT_BRAIN);
  }

  @Test
  void aSideWhoseChangesWereGivenUpFollowsTheSurvivor() {
    Identity victim =
        new Identity("v", "b", 1 << 20, 65_536, Role.SECONDARY, OTHER, true, true, true, "", "");
    assertThat(outcome(primary(SECOND), victim)).isEqualTo(Outcome.CHANGED_CHUNKS);
  }

  @Test
  void otherSizesAndTheVolumeItselfAreRefused() {
    Identity larger =
        new Identity("v", "b", 2 << 20, 65_536, Role.SECONDARY, FIRST, true, false, true, "", "");
    assertThat(Meeting.decide(primary(FIRST), larger).reason()).contains("2M").contains("1M");
    Identity coarser =
        new Identity("v", "b", 1 << 20, 131_072, Role.SECONDARY, FIRST, true, false, true, "", "");
    assertThat(outcome(primary(FIRST), coarser)).isEqualTo(Outcome.UNFIT);
    assertThat(outcome(primary(FIRST), side("a", Role.SECONDARY, FIRST)))
        .isEqualTo(Outcome.SAME_NODE);
  }

  @Test
  void aNewerCopyThatHasGrownMakesTheSourceOutdatedAllTheSame() {
    Identity grown =
        new Identity("v", "b", 2 << 20, 65_536, Role.SECONDARY, SECOND, true, false, true, "", "");
    assertThat(outcome(primary(FIRST), grown)).isEqualTo(Outcome.SOURCE_OUTDATED);
    assertThat(outcome(primary(FIRST), grown.asPrimary())).isEqualTo(Outcome.SOURCE_OUTDATED);
    assertThat(outcome(primary(OTHER), grown.asPrimary())).isEqualTo(Outcome.SPLIT_BRAIN);
  }

  private static Identity of(String volume, String id, String node, Role role, boolean discard) {
    return new Identity(volume, node, 1 << 20, 65_536, role, FIRST, true, discard, true, "", id);
  }

  @Test
  void copiesOfOtherVolumesAreRefusedWhateverTheirNamesAndGenerations() {
    Identity source = of("v", "1a", "a", Role.PRIMARY, false);
    assertThat(outcome(source, of("v", "1a", "b", Role.SECONDARY, false)))
        .isEqualTo(Outcome.CHANGED_CHUNKS);
    assertThat(outcome(source, of("v", "", "b", Role.SECONDARY, false)))
        .as("from before there were ids")
        .isEqualTo(Outcome.CHANGED_CHUNKS);
    assertThat(outcome(source, of("v", "2b", "b", Role.SECONDARY, false)))
        .isEqualTo(Outcome.MISMATCH);
    assertThat(outcome(source, of("w", "1a", "b", Role.SECONDARY, false)))
        .isEqualTo(Outcome.MISMATCH);
    assertThat(outcome(source, of("v", "2b", "b", Role.SECONDARY, true)))
        .as("given up by order")
        .isEqualTo(Outcome.CHANGED_CHUNKS);
  }

  @Test
  void aSecondaryDoesNotFeedAPrimary() {
    assertThat(outcome(side("a", Role.SECONDARY, SECOND), side("b", Role.PRIMARY, FIRST)))
        .isEqualTo(Outcome.STANDBY);
  }

  @Test
  void aHistoryIsBounded() {
    Generations long1 = Generations.NONE;
    for (int i = 1; i <= 3 * Generations.REMEMBERED_MAX; i++) {
      long1 = long1.with(i);
    }
    assertThat(long1.ids()).hasSize(Generations.REMEMBERED_MAX);
    assertThat(long1.current()).isEqualTo(3L * Generations.REMEMBERED_MAX);
  }
}
