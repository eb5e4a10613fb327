package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NoLeaderTest {
  @Test
  void anotherUseOfAGroupHasAnotherLastResort() {
    String own = "if they are lost, start anew";

    assertThat(NoLeader.withLastResort(NoLeader.tooFew("b has not answered", true), own))
        .isEqualTo(
            "No leader is elected: b has not answered, and without more of them nobody may lead."
                + " Start them; if they are lost, start anew");
    assertThat(NoLeader.withLastResort(NoLeader.unsure("b has not answered", "a"), own))
        .endsWith("Start who is missing; if they are lost, start anew")
        .doesNotContain("accept-loss");
    assertThat(NoLeader.withLastResort("a disk is slow; if so", own))
        .isEqualTo("a disk is slow; if so");
  }
}
