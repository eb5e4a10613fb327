package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who may have written a label by its former name does not stand behind its rename. */
class LabelRenamesTest {
  private final LabelRenames renames = new LabelRenames();

  private String admit(LabelRenames.Of one) {
    return renames.admit(one, false);
  }

  @Test
  void whoBeganBeforeIsNotAdmitted() {
    LabelRenames.Of before = renames.begin("app");
    LabelRenames.Of elsewhere = renames.begin("other");
    LabelRenames.Of beside = renames.begin("app");
    assertThat(admit(renames.begin("app"))).isNull();
    assertThat(admit(renames.begin("app").renaming())).isNull();
    assertThat(admit(before)).isEqualTo(LabelRenames.RENAMED);
    assertThat(admit(beside.renaming())).isEqualTo(LabelRenames.RENAMED);
    assertThat(admit(elsewhere)).isNull();
    assertThat(admit(LabelRenames.Of.NONE)).isNull();
    assertThat(admit(renames.begin("app"))).isNull();
  }

  @Test
  void nothingIsRenamedWhileOthersArePrepared() {
    LabelRenames.Of before = renames.begin("app");
    assertThat(renames.admit(renames.begin("app").renaming(), true))
        .isEqualTo(LabelRenames.PREPARED);
    assertThat(renames.admit(before, true)).isNull();
  }
}
