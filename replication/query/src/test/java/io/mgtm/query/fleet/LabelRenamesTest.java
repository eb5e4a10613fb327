package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who may have written a label by its former name does not stand behind its rename. */
class LabelRenamesTest {
  private final LabelRenames renames = new LabelRenames();

  @Test
  void whoBeganBeforeIsNotAdmitted() {
    LabelRenames.Of before = renames.begin("app");
    LabelRenames.Of elsewhere = renames.begin("other");
    LabelRenames.Of beside = renames.begin("app");
    assertThat(renames.admits(renames.begin("app"))).isTrue();
    assertThat(renames.admits(renames.begin("app").renaming())).isTrue();
    assertThat(renames.admits(before)).isFalse();
    assertThat(renames.admits(beside.renaming())).isFalse();
    assertThat(renames.admits(elsewhere)).isTrue();
    assertThat(renames.admits(LabelRenames.Of.NONE)).isTrue();
    assertThat(renames.admits(renames.begin("app"))).isTrue();
  }
}
