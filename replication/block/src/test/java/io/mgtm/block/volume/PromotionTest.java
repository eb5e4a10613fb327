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
    return new Promotion(SELF, List.of(testimonies)).refusalToServe(Grounds.TESTIMONY);
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
      assertThat(new Promotion(waiting, List.of(one)).refusal(Grounds.TESTIMONY)).isNotNull();
    }
    assertThat(new Promotion(waiting, List.of(of("v", "1a", "b", true))).refusal(Grounds.TESTIMONY))
        .isNull();
  }

  /** The replica dies in the moment in which it is handed over to, and comes back. */
  @Test
  void whereEveryCopyAnswersAndNoneVouchesItIsSaidWhichToTake() {
    VolumeState waiting =
        SELF.withRole(Role.SECONDARY, false).withStanding(SELF.standing().asHandedOver());
    assertThat(
            new Promotion(waiting, List.of(of("v", "1a", "b", false))).refusal(Grounds.TESTIMONY))
        .contains("nobody can vouch", "use --force on it");
    assertThat(
            new Promotion(waiting, List.of(Testimony.missing("h:1", "refused")))
                .refusal(Grounds.TESTIMONY))
        .contains("nobody can vouch")
        .doesNotContain("use --force on it");
  }

  /** The cluster knows more than the copies that answer, but not more than one that is newer. */
  @Test
  void aVouchedCopyIsPromotedUnlessAnotherIsPrimaryOrNewer() {
    VolumeState copy =
        SELF.withRole(Role.SECONDARY, false).withStanding(SELF.standing().asHandedOver());
    Testimony missing = Testimony.missing("h:1", "refused");
    assertThat(vouched(copy, missing)).isNull();
    assertThat(vouched(copy)).isNull();
    assertThat(vouched(copy.withStanding(copy.standing().asOutdated()), missing))
        .contains("is outdated");
    assertThat(vouched(copy.withConsistency(false, ""), missing)).contains("inconsistent");
    assertThat(vouched(copy, telling(Role.SECONDARY, SELF.generations().with(8))))
        .contains("is newer");
    assertThat(vouched(copy, telling(Role.PRIMARY, SELF.generations()))).contains("is primary");
    assertThat(vouched(copy, telling(Role.SECONDARY, Generations.NONE.with(9))))
        .contains("split brain");
    assertThat(vouched(copy.withGenerations(Generations.NONE), missing)).contains("is empty");
    for (Role role : Role.values()) {
      Identity source = telling(role, SELF.generations()).identity();
      assertThat(new Promotion(copy, List.of()).refusalBeside(source, Grounds.VOUCHED))
          .contains("connected");
    }
  }

  /** A restarted primary that reaches nobody. */
  @Test
  void aVouchedPrimaryServesUnlessAnotherIsPrimaryOrNewer() {
    Testimony missing = Testimony.missing("h:1", "refused");
    Testimony newer = telling(Role.SECONDARY, SELF.generations().with(8));
    assertThat(new Promotion(SELF, List.of(missing)).refusalToServe(Grounds.VOUCHED)).isNull();
    assertThat(new Promotion(SELF, List.of(newer)).refusalToServe(Grounds.VOUCHED))
        .contains("is newer");
  }

  private static String vouched(VolumeState copy, Testimony... testimonies) {
    Promotion promotion = new Promotion(copy, List.of(testimonies));
    String first = promotion.refusalBeside(null, Grounds.VOUCHED);
    return first == null ? promotion.refusal(Grounds.VOUCHED) : first;
  }

  private static Testimony telling(Role role, Generations generations) {
    Identity identity =
        new Identity("v", "b", 2 << 20, 65_536, role, generations, true, false, true, "", "1a");
    return new Testimony("h:1", identity, false, "");
  }
}
