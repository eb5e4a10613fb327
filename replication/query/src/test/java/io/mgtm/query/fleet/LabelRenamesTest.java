package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who may have written a label by its former name does not stand behind its rename. */
class LabelRenamesTest {
  private final LabelRenames renames = new LabelRenames();

  private String whyNot(LabelRenames.Of one) {
    return renames.whyNot(one, false);
  }

  @Test
  void whoBeganBeforeIsNotAdmitted() {
    LabelRenames.Of before = renames.begin("app");
    LabelRenames.Of elsewhere = renames.begin("other");
    LabelRenames.Of beside = renames.begin("app");
    assertThat(whyNot(renames.begin("app"))).isNull();
    assertThat(whyNot(renames.begin("app").renaming())).isNull();
    assertThat(whyNot(before)).isEqualTo(LabelRenames.RENAMED);
    assertThat(whyNot(beside.renaming())).isEqualTo(LabelRenames.RENAMED);
    assertThat(whyNot(elsewhere)).isNull();
    assertThat(whyNot(LabelRenames.Of.NONE)).isNull();
    assertThat(whyNot(renames.begin("app"))).isNull();
  }

  @Test
  void nothingIsRenamedWhileOthersArePrepared() {
    LabelRenames.Of before = renames.begin("app");
    assertThat(renames.whyNot(renames.begin("app").renaming(), true))
        .isEqualTo(LabelRenames.PREPARED);
    assertThat(renames.whyNot(before, true)).isNull();
  }
}
