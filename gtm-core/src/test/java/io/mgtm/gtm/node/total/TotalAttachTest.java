package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RecordingPeer;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkFormat;
import org.junit.jupiter.api.Test;

/**
 * What a member of a group in mode total tells the others of its links; the order is the test's.
 */
class TotalAttachTest {
  private static final long FORMER = LinkFormat.SESSION_BIT | 1;
  private static final long SESSION = LinkFormat.SESSION_BIT | 2;
  private static final Limits LIMITS =
      new Limits(1_000, 1_000, 1_000, 10, Long.MIN_VALUE / 2, Long.MIN_VALUE / 2);

  private final LoneTotal node = new LoneTotal(LIMITS);
  private final RecordingPeer peer = new RecordingPeer("p");

  private void attachFormerAtAnotherMember() {
    node.other(100, new MemberOp.Attach("g2", FORMER, 7, true, false, "p", GatewayKind.PROXY, 100));
  }

  private boolean isAttached() {
    return node.gtm.attachments().of(SESSION).attached();
  }

  @Test
  void endOfALinkIsToldAlsoWhereTheSessionWasRefusedAtAPlaceThatWasLost() {
    attachFormerAtAnotherMember();
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.apply();
    assertThat(isAttached()).as("another of its name is connected").isFalse();
    node.withdraw();
    node.other(101, new MemberOp.Gone("g2"));
    node.submit(new LinkWork.Gone(peer));
    node.settleAll();
    assertThat(isAttached()).isFalse();
  }

  @Test
  void refusedSessionIsForgottenOnceThatIsSettled() {
    attachFormerAtAnotherMember();
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    assertThat(peer.told).anyMatch(told -> told.contains("NAME_IN_USE"));
    node.submit(new LinkWork.Gone(peer));
    assertThat(node.proposed()).isEmpty();
  }

  /** It had asked the other member before, and is attached there by an entry that came later. */
  @Test
  void gatewayIsToldWhereItsSessionIsAttachedElsewhereMeanwhile() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    peer.told.clear();
    node.other(101, new MemberOp.Attach("g2", SESSION, 7, false, false, "p", GatewayKind.PROXY, 9));
    assertThat(peer.told).anyMatch(told -> told.contains("NOT_LEADING"));
  }

  @Test
  void gatewaysOfAMemberThatWasTakenForGoneAreTold() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    peer.told.clear();
    node.other(101, new MemberOp.Gone(node.gtm.attachments().of(SESSION).member()));
    assertThat(isAttached()).isFalse();
    assertThat(peer.told).anyMatch(told -> told.contains("NOT_LEADING"));
  }

  @Test
  void gatewayIsToldNothingOfAnAttachmentThatItHasAskedForSince() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    node.submit(new LinkWork.Attach(peer, SESSION, false, false));
    node.settleAll();
    assertThat(peer.told).noneMatch(told -> told.contains("NOT_LEADING"));
  }

  /** What is said before comes before. */
  @Test
  void gatewayIsToldThatItIsAttachedBeforeItIsToldThatItIsElsewhere() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.apply();
    node.other(101, new MemberOp.Attach("g2", SESSION, 7, false, false, "p", GatewayKind.PROXY, 9));
    assertThat(peer.told).isEmpty();
    node.settleApplied();
    assertThat(peer.told).hasSizeGreaterThan(1);
    assertThat(peer.told.get(0)).contains("attached");
    assertThat(peer.told.get(1)).contains("NOT_LEADING");
  }

  @Test
  void memberThatWasGivenANewerStateTakesItsFormerLinksAway() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    assertThat(isAttached()).isTrue();
    node.skip();
    assertThat(node.isServing()).isFalse();
    node.submit(new LinkWork.Gone(peer));
    node.settleAll();
    assertThat(isAttached()).isFalse();
    assertThat(node.isServing()).isTrue();
  }
}
