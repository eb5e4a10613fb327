package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.state.GtmState;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttachmentWatchTest {
  private static final long SESSION = 1L << 62;
  private final Attachments attachments = new Attachments();
  private final AttachmentWatch watch = new AttachmentWatch(10_000, 3_000);
  private final List<GtmState.GatewayInfo> sessions =
      List.of(new GtmState.GatewayInfo(SESSION, "p1", GatewayKind.PROXY, false, 0));

  private List<MemberOp> due(long nowMs, String... connected) {
    return watch.due(sessions, attachments, List.of(connected), nowMs);
  }

  @Test
  void aSessionExpiresAfterItsGraceCountedFromWhenItIsSeenWithoutALink() {
    attachments.attach(SESSION, 7, "g2");
    assertThat(due(0, "g1", "g2")).isEmpty();
    attachments.detach(SESSION, 7, 40);
    assertThat(due(5_000, "g1", "g2")).isEmpty();
    assertThat(due(14_999, "g1", "g2")).isEmpty();
    assertThat(due(15_000, "g1", "g2")).containsExactly(new MemberOp.Expire(SESSION, 40));
  }

  @Test
  void anAttachInBetweenBeginsTheGraceAnew() {
    attachments.attach(SESSION, 7, "g2");
    attachments.detach(SESSION, 7, 40);
    due(0, "g1", "g2");
    attachments.attach(SESSION, 8, "g1");
    attachments.detach(SESSION, 8, 50);
    assertThat(due(10_000, "g1", "g2")).isEmpty();
    assertThat(due(20_000, "g1", "g2")).containsExactly(new MemberOp.Expire(SESSION, 50));
  }

  @Test
  void aMemberThatIsAwayForLongLosesItsLinksAndOneThatComesBackDoesNot() {
    attachments.attach(SESSION, 7, "g2");
    assertThat(due(0, "g1")).isEmpty();
    assertThat(due(2_999, "g1")).isEmpty();
    assertThat(due(3_000, "g1", "g2")).isEmpty();
    assertThat(due(5_000, "g1")).isEmpty();
    assertThat(due(8_000, "g1")).containsExactly(new MemberOp.Gone("g2"));
  }

  @Test
  void whoBeginsToMakeTheOrderCountsAnew() {
    assertThat(due(0, "g1")).isEmpty();
    watch.clear();
    assertThat(due(10_000, "g1")).isEmpty();
    assertThat(due(20_000, "g1")).hasSize(1);
  }
}
