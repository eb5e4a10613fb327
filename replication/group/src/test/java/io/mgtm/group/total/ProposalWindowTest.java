package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ProposalWindowTest {
  private final ProposalWindow window = new ProposalWindow(4, 100);

  private void add(int proposals) {
    for (int i = 0; i < proposals; i++) {
      window.add(ByteBuffer.allocate(10));
    }
  }

  @Test
  void itIsBoundedByCountAndByBytesAndTakesOneLargeProposal() {
    assertThat(window.hasRoom(1_000)).as("alone").isTrue();
    window.add(ByteBuffer.allocate(95));
    assertThat(window.hasRoom(5)).isTrue();
    assertThat(window.hasRoom(6)).isFalse();
    window.applied(1, 7);
    window.committed(7);
    add(4);
    assertThat(window.hasRoom(1)).isFalse();
  }

  @Test
  void whatIsSentOnceIsSentAgainAfterARewindAndNothingThatIsSettled() {
    add(4);
    assertThat(window.takeUnsent(25)).hasSize(2);
    assertThat(window.takeUnsent(5)).as("one at least").hasSize(1);
    assertThat(window.takeUnsent(100)).hasSize(1);
    assertThat(window.takeUnsent(100)).isEmpty();
    window.applied(1, 5);
    window.applied(2, 6);
    assertThat(window.committed(5)).isTrue();
    window.rewind(1);
    assertThat(window.sentNumber()).isEqualTo(1);
    assertThat(window.takeUnsent(100)).hasSize(3);
    window.rewind(4);
    assertThat(window.sentNumber()).isEqualTo(3);
  }

  @Test
  void itIsSettledOnlyByTheCommitOfItsPlace() {
    add(2);
    window.applied(1, 5);
    assertThat(window.committed(4)).isFalse();
    assertThat(window.settledNumber()).isZero();
    assertThat(window.committed(9)).isTrue();
    assertThat(window.settledNumber()).as("the second has no place yet").isEqualTo(1);
  }

  @Test
  void placesThatAreTakenBackComeAgainAndSettledOnesAreReplayedWithoutEffect() {
    add(3);
    window.applied(1, 5);
    window.committed(5);
    window.applied(2, 6);
    window.applied(3, 7);
    assertThat(window.restored(0)).isFalse();
    assertThat(window.appliedNumber()).isEqualTo(1);
    assertThat(window.applied(1, 5)).as("a replay").isFalse();
    assertThat(window.applied(2, 6)).isTrue();
    assertThat(window.unapplied()).hasSize(1);
  }

  @Test
  void placesInACheckpointThatWereNeverSeenAreSkippedAndSettledNext() {
    add(3);
    window.applied(1, 5);
    assertThat(window.restored(2)).isTrue();
    assertThat(window.appliedNumber()).isEqualTo(2);
    window.committed(9);
    assertThat(window.settledNumber()).isEqualTo(2);
    assertThat(window.applied(3, 12)).isTrue();
  }

  @Test
  void anOwnProposalOutOfItsOrderIsABrokenInvariant() {
    add(2);
    assertThatThrownBy(() -> window.applied(2, 5)).isInstanceOf(IllegalStateException.class);
  }

  /** A process on an older copy of its folder has the name of the one that made the others. */
  @Test
  void onlyWhatItMadeIsItsOwn() {
    window.add(ByteBuffer.wrap(new byte[] {1}));
    window.add(ByteBuffer.wrap(new byte[] {2}));
    assertThat(window.made(1, ByteBuffer.wrap(new byte[] {1}))).isTrue();
    assertThat(window.made(2, ByteBuffer.wrap(new byte[] {2}))).isTrue();
    assertThat(window.made(2, ByteBuffer.wrap(new byte[] {1}))).isFalse();
    assertThat(window.made(3, ByteBuffer.wrap(new byte[] {3}))).isFalse();
    window.applied(1, 5);
    window.committed(5);
    assertThat(window.made(1, ByteBuffer.wrap(new byte[] {1}))).as("a replay").isTrue();
    assertThat(window.made(2, ByteBuffer.wrap(new byte[] {2}))).isTrue();
  }
}
