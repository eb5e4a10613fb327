package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PromotionTest {
  private static final VolumeState SELF =
      VolumeState.fresh("v", "a", 1 << 20, 65_536, Role.PRIMARY, Generations.NONE.with(7))
          .withStanding(Standing.fresh(Role.PRIMARY).orOf("1a").asNewest());

  private static Testimony of(String volume, String id, String node, boolean handsOver) {
    Identity identity =
        new Identity(
            volume,
            node,
            2 << 20,
            65_536,
            Role.SECONDARY,
            SELF.generations(),
            true,
            false,
            true,
            "",
            id);
    return new Testimony("h:1", identity, handsOver, "");
  }

  private static String serve(Testimony... testimonies) {
    return new Promotion(SELF, List.of(testimonies)).refusalToServe();
  }

  @Test
  void onlyAnotherCopyOfTheVolumeVouchesForARestartedPrimary() {
    assertThat(serve(of("v", "1a", "b", false))).as("of another size since a growth").isNull();
    assertThat(serve()).contains("reached none");
    assertThat(serve(Testimony.missing("h:1", "refused"))).contains("reached none");
    assertThat(serve(of("v", "1a", "a", false))).contains("this side itself");
    assertThat(serve(of("v", "2b", "b", false))).contains("another volume");
    assertThat(serve(of("w", "1a", "b", false))).contains("another volume");
    assertThat(serve(of("v", "1a", "b", false), of("v", "1a", "a", false)))
        .as("a twin beside a true copy")
        .contains("this side itself");
  }

  @Test
  void aStrangerOrTheSideItselfHandsNothingOver() {
    VolumeState waiting =
        SELF.withRole(Role.SECONDARY, false).withStanding(SELF.standing().asHandedOver());
    for (Testimony one : List.of(of("v", "1a", "a", true), of("v", "2b", "b", true))) {
      assertThat(new Promotion(waiting, List.of(one)).refusal()).isNotNull();
    }
    assertThat(new Promotion(waiting, List.of(of("v", "1a", "b", true))).refusal()).isNull();
  }

  /** The replica dies in the moment in which it is handed over to, and comes back. */
  @Test
  void whereEveryCopyAnswersAndNoneVouchesItIsSaidWhichToTake() {
    VolumeState waiting =
        SELF.withRole(Role.SECONDARY, false).withStanding(SELF.standing().asHandedOver());
    assertThat(new Promotion(waiting, List.of(of("v", "1a", "b", false))).refusal())
        .contains("nobody can vouch", "use --force on it");
    assertThat(new Promotion(waiting, List.of(Testimony.missing("h:1", "refused"))).refusal())
        .contains("nobody can vouch")
        .doesNotContain("use --force on it");
  }
}
