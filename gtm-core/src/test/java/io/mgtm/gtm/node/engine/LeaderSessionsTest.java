package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.link.LinkFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How sessions of gateways are attached to a leader, and end. */
class LeaderSessionsTest extends LeaderHarness {
  @BeforeEach
  void lead() {
    engine.leading();
  }

  @Test
  void aGapInTheNumbersEndsTheLink() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    send(p1, ONE, 3, begin(ONE));
    settle();
    assertThat(p1.told).containsExactly("1:S", "refused PROTOCOL");
    assertThat(p1.disconnected).isTrue();
    assertThat(machine.state().counts().transactions()).isEqualTo(1);
  }

  @Test
  void anUnknownSessionIsLostUnlessItIsFresh() {
    attach(p1, ONE, false);
    settle();
    assertThat(p1.told).containsExactly("refused SESSION_LOST");
  }

  @Test
  void aNameThatIsInUseIsRefusedAndTheSessionOfOneThatHasGoneEnds() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    RecordingPeer again = new RecordingPeer("p1");
    attach(again, LinkFormat.SESSION_BIT | 3, true);
    settle();
    assertThat(again.told).containsExactly("refused NAME_IN_USE");
    engine.submit(new LinkWork.Gone(p1));
    attach(again, LinkFormat.SESSION_BIT | 3, true);
    settle();
    assertThat(again.told).containsExactly("refused NAME_IN_USE", "attached 0");
    assertThat(machine.state().gateway(ONE)).isNull();
    assertThat(machine.state().counts().transactions()).isZero();
    assertThat(log.replayed().state().gateways()).isEqualTo(machine.state().gateways());
  }

  @Test
  void nobodyTakesAnothersSession() {
    attachBoth();
    attach(p2, ONE, false);
    settle();
    assertThat(p2.told).containsExactly("refused PROTOCOL");
    send(p2, ONE, 1, begin(ONE));
    settle();
    assertThat(p2.told).contains("refused NOT_LEADING");
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void aSessionWithoutALinkEndsAfterItsTimeOfGrace() {
    graceMs = 0;
    engine = engine();
    engine.leading();
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    settle();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(2);
    engine.submit(new LinkWork.Gone(p1));
    batch();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(1);
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void aNewLeaderGivesAllSessionsTheirTimeOfGraceAnew() {
    attachBoth();
    engine.following();
    engine.leading();
    engine.tick();
    assertThat(machine.state().gateways()).hasSize(2);
  }

  @Test
  void aClosedSessionEndsAtOnce() {
    attachBoth();
    send(p1, ONE, 1, begin(ONE));
    engine.submit(new LinkWork.Close(p1, ONE));
    settle();
    assertThat(machine.state().gateway(ONE)).isNull();
    assertThat(machine.state().counts().transactions()).isZero();
  }
}
