package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.MemberId;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A process on an older copy of its folder names its proposals as another did, and the leader's
 * word of it was lost: it must not take that one's for its own, nor answer its clients by them.
 */
class OlderCopyOrderTest {
  private static final MemberId SELF = new MemberId("a", new UUID(1, 1));

  private final TotalOrder order =
      new TotalOrder(new NoState(), new OriginTable(), new TotalOrder.Told() {}, 16, 1 << 10);

  @BeforeEach
  void begin() {
    order.begin(SELF, 3, null);
  }

  private static ByteBuffer command(int value) {
    return ByteBuffer.wrap(new byte[] {(byte) value});
  }

  private void applies(long index, long incarnation, long number, int value) {
    order.apply(index, new ProposalEntry(SELF, incarnation, number, command(value)).encoded());
  }

  private void refuses(long index, long incarnation, long number, int value) {
    assertThatThrownBy(() -> applies(index, incarnation, number, value))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("older copy")
        .hasMessageContaining("start it again");
  }

  @Test
  void itMadeNone() {
    refuses(1, 3, 1, 7);
  }

  @Test
  void itMadeAnother() {
    order.propose(command(8));
    refuses(1, 3, 1, 7);
  }

  @Test
  void theOtherWasStartedLater() {
    order.propose(command(7));
    refuses(1, 4, 1, 7);
  }

  @Test
  void whatItMadeItselfAndWhatWasMadeBeforeIsNone() {
    applies(1, 2, 1, 7);
    order.propose(command(8));
    applies(2, 3, 1, 8);
  }

  /** A state without anything in it. */
  private static final class NoState implements OrderedMachine {
    @Override
    public Durability apply(long index, long own, ByteBuffer payload) {
      return Durability.BUFFERED;
    }

    @Override
    public void entriesMayBeMissing(long index, boolean keptByClients) {}

    @Override
    public StatePicture picture() {
      return pieces -> {};
    }

    @Override
    public Runnable load(Pieces encoded) {
      return () -> {};
    }
  }
}
