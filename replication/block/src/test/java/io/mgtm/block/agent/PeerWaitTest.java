package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.volume.LinkMode;
import io.mgtm.block.volume.LinkPhase;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.VolumeView;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerWaitTest {
  private static final long WAIT_MS = 1_000;

  private static VolumeView.Link link(LinkPhase phase, boolean reached, Outcome refusal) {
    return new VolumeView.Link(
        "h:1",
        LinkMode.SYNC,
        phase,
        phase == LinkPhase.UP_TO_DATE,
        "why",
        reached,
        refusal,
        false,
        "",
        "",
        0,
        0,
        0,
        null,
        null);
  }

  private static final VolumeView.Link COPY = link(LinkPhase.UP_TO_DATE, true, null);

  private static boolean serves(boolean alone, VolumeView.Link... links) {
    PeerWait wait = new PeerWait(WAIT_MS, alone);
    boolean atOnce = wait.mayServe(5, List.of(links));
    boolean later = wait.mayServe(5 + WAIT_MS, List.of(links));
    assertThat(later).as("it does not serve less after a while").isIn(true, atOnce);
    return later;
  }

  @Test
  void whoIsNoOtherCopyDoesNotCount() {
    VolumeView.Link another = link(LinkPhase.REFUSED, false, Outcome.MISMATCH);
    assertThat(serves(false, another)).isFalse();
    assertThat(serves(true, another)).as("told to serve alone").isTrue();
    assertThat(serves(false, COPY, another)).isTrue();
    PeerWait wait = new PeerWait(WAIT_MS, false);
    assertThat(wait.mayServe(5, List.of(another))).isFalse();
    assertThat(wait.reason(List.of(another))).contains("reached none").contains("h:1: why");
  }

  @Test
  void aSideOfTheSameNodeOrASplitKeepsItFromServing() {
    for (Outcome refusal : List.of(Outcome.SAME_NODE, Outcome.SPLIT_BRAIN)) {
      VolumeView.Link bad = link(LinkPhase.REFUSED, refusal == Outcome.SPLIT_BRAIN, refusal);
      assertThat(serves(false, COPY, bad)).isFalse();
      assertThat(serves(true, COPY, bad)).isFalse();
      assertThat(new PeerWait(WAIT_MS, false).reason(List.of(COPY, bad))).contains("--force");
    }
  }

  @Test
  void noForceIsAdvisedBeforeAnyReplicaWasTried() {
    VolumeView.Link untried =
        new VolumeView.Link(
            "h:1",
            LinkMode.SYNC,
            LinkPhase.DOWN,
            false,
            VolumeView.UNTRIED,
            false,
            null,
            false,
            "",
            "",
            0,
            0,
            0,
            null,
            null);
    PeerWait wait = new PeerWait(WAIT_MS, false);
    assertThat(wait.mayServe(5, List.of(untried))).isFalse();
    assertThat(wait.reason(List.of(untried))).contains("asks").doesNotContain("--force");
  }

  @Test
  void aCopyThatDoesNotFitCounts() {
    assertThat(serves(false, link(LinkPhase.REFUSED, true, Outcome.UNFIT))).isTrue();
  }
}
