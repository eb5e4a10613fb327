package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class IncomingCheckpointTest {
  private static final CoreLog.Checkpoint CHECKPOINT =
      new CoreLog.Checkpoint(10, 2, Membership.NONE, 9, 5);

  private final IncomingCheckpoint incoming = new IncomingCheckpoint();

  private static Message.CheckpointPiece piece(long term, long offset, int bytes) {
    ByteBuffer piece = ByteBuffer.wrap(new byte[bytes]);
    return new Message.CheckpointPiece(
        term, null, 1, CHECKPOINT, offset, Message.CheckpointPiece.checksum(piece), piece);
  }

  @Test
  void piecesAreStoredInOrderAndOneAtATime() {
    assertThat(incoming.wants(piece(3, 3, 3), 0)).as("before the first").isFalse();
    assertThat(incoming.wants(piece(3, 0, 3), 0)).isTrue();
    assertThat(incoming.wants(piece(3, 0, 3), 0)).as("again, while it is stored").isFalse();
    assertThat(incoming.wants(piece(3, 3, 3), 0)).as("too early").isFalse();
    incoming.stored(3, false, 0);
    assertThat(incoming.wants(piece(3, 0, 3), 0)).as("again").isFalse();
    assertThat(incoming.wants(piece(3, 6, 3), 0)).as("one is lost").isFalse();
    assertThat(incoming.wants(piece(3, 3, 3), 0)).isTrue();
    incoming.stored(6, false, 0);
    assertThat(incoming.stored()).isEqualTo(6);
    assertThat(incoming.wants(piece(3, 9, 0), 0)).as("a question").isFalse();
  }

  @Test
  void aDamagedPieceIsLeftAndComesAgain() {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
    Message.CheckpointPiece damaged =
        new Message.CheckpointPiece(3, null, 1, CHECKPOINT, 0, 77, bytes);
    assertThat(incoming.wants(damaged, 0)).isFalse();
    assertThat(incoming.stored()).isZero();
    assertThat(incoming.wants(piece(3, 0, 3), 0)).isTrue();
  }

  @Test
  void anotherTermsOrAnotherCheckpointBeginsAnew() {
    assertThat(incoming.wants(piece(3, 0, 3), 0)).isTrue();
    incoming.stored(3, false, 0);
    assertThat(incoming.wants(piece(4, 3, 3), 0)).isFalse();
    assertThat(incoming.isOf(CHECKPOINT, 3)).isFalse();
    assertThat(incoming.stored()).isZero();
    assertThat(incoming.wants(piece(4, 0, 3), 0)).isTrue();
  }

  @Test
  void oneThatCannotBeStoredIsTriedAgainAfterAWhile() {
    assertThat(incoming.wants(piece(3, 0, 3), 0)).isTrue();
    incoming.stored(3, false, 0);
    assertThat(incoming.wants(piece(3, 3, 3), 100)).isTrue();
    incoming.stored(0, false, 100);
    assertThat(incoming.wants(piece(3, 0, 3), 1_099)).isFalse();
    assertThat(incoming.wants(piece(3, 0, 3), 1_100)).isTrue();
  }
}
