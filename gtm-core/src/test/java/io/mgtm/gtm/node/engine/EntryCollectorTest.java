package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.node.engine.EntryCollector.GatewayId;
import io.mgtm.gtm.wire.link.LinkEntries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a new leader makes of what gateways present. */
class EntryCollectorTest {
  private static final GatewayId P1 = new GatewayId("p1", GatewayKind.PROXY);
  private static final GatewayId P2 = new GatewayId("p2", GatewayKind.PROXY);
  private static final GatewayId G1 = new GatewayId("p1", GatewayKind.NODE);

  private final EntryCollector collector = new EntryCollector(3, 10, List.of(P1, P2));

  private static LinkEntries run(long term, long first, int count) {
    List<byte[]> bytes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      bytes.add(new byte[] {(byte) (first + i)});
    }
    return new LinkEntries(term, first, first - 1, bytes);
  }

  private static List<Integer> numbers(EntryCollector.Result result) {
    return result.entries().stream().map(entry -> (int) entry[0]).toList();
  }

  @Test
  void whatIsHereAlreadyIsNotTakenAgain() {
    collector.present(P1, run(3, 8, 2));
    collector.heard(P1);
    assertThat(collector.isComplete()).isFalse();
    collector.heard(P2);
    assertThat(collector.isComplete()).isTrue();
    EntryCollector.Result result = collector.finish();
    assertThat(result.entries()).isEmpty();
    assertThat(result.lost()).isEmpty();
  }

  @Test
  void gatewaysCompleteEachOtherInTheOrderOfTheCounts() {
    collector.present(P1, run(3, 13, 3));
    collector.present(P2, run(3, 9, 3));
    collector.present(P2, run(3, 12, 2));
    collector.heard(P1);
    collector.heard(P2);
    EntryCollector.Result result = collector.finish();
    assertThat(numbers(result)).containsExactly(11, 12, 13, 14, 15);
    assertThat(result.lost()).isEmpty();
    assertThat(collector.contradictedAt()).isZero();
  }

  @Test
  void aGatewayThatHasSeenMoreThanFollowsIsLost() {
    collector.present(P1, run(3, 13, 1));
    collector.present(P2, run(3, 11, 1));
    collector.heard(P1);
    collector.heard(P2);
    EntryCollector.Result result = collector.finish();
    assertThat(numbers(result)).containsExactly(11);
    assertThat(result.lost()).containsExactly(P1);
  }

  @Test
  void aGatewayThatIsNotHeardIsLostWhateverItPresented() {
    collector.present(P1, run(3, 11, 1));
    collector.heard(P2);
    EntryCollector.Result result = collector.finish();
    assertThat(numbers(result)).containsExactly(11);
    assertThat(result.lost()).containsExactly(P1);
  }

  @Test
  void entriesOfAnOlderTermSayNothingAndThoseOfANewerOneTooMuch() {
    collector.present(P1, run(2, 11, 3));
    collector.present(P2, run(4, 11, 1));
    collector.heard(P1);
    collector.heard(P2);
    EntryCollector.Result result = collector.finish();
    assertThat(result.entries()).isEmpty();
    assertThat(result.lost()).containsExactly(P2);
  }

  @Test
  void theRunEndsBeforeAContradictionAndBothAreLost() {
    collector.present(P1, run(3, 11, 3));
    collector.present(P2, run(3, 11, 1));
    collector.present(P2, new LinkEntries(3, 12, 11, List.of(new byte[] {99})));
    collector.heard(P1);
    collector.heard(P2);
    EntryCollector.Result result = collector.finish();
    assertThat(numbers(result)).containsExactly(11);
    assertThat(result.lost()).containsExactlyInAnyOrder(P1, P2);
    assertThat(collector.contradictedAt()).isEqualTo(12);
  }

  @Test
  void aGatewayInANodeIsNotTheProxyOfItsName() {
    collector.heard(G1);
    collector.heard(P2);
    assertThat(collector.isComplete()).isFalse();
    assertThat(collector.finish().lost()).containsExactly(P1);
  }
}
