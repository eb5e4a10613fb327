package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.state.CheckpointDecoder.CorruptCheckpointException;
import io.mgtm.gtm.state.CheckpointDecoder.UnknownVersionException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checkpoints that are none, and what a sound one must bring back. */
class DamagedCheckpointTest {
  private static final int NEXT_AT = 2;
  private static final int RESERVED_AT = 2 + 4 * 8;
  private static final int COUNT_AT = 2 + 7 * 8 + 4;

  private final GtmState state = new GtmState(10_000);

  private Reply apply(Command command) {
    state.beginEntry(1);
    return state.apply(command);
  }

  private int begin(BeginKind kind) {
    TransactionReply.Began began =
        (TransactionReply.Began)
            apply(
                new TransactionCommand.Begin(
                    1, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, kind));
    return kind == BeginKind.HANDLE ? began.handle() : began.gxid();
  }

  private static GtmState decode(byte[] bytes) {
    return CheckpointDecoder.decode(ByteBuffer.wrap(bytes));
  }

  private byte[] encoded() {
    begin(BeginKind.GXID);
    begin(BeginKind.HANDLE);
    apply(new SequenceCommand.Init("d.s\0", 1, 1, 9, 1, false));
    apply(new SessionCommand.OpenSession(1, "co1", NodeType.COORDINATOR, true));
    apply(new SessionCommand.OpenGateway(7, "p1", GatewayKind.PROXY, false));
    apply(new SessionCommand.Numbered(7, 1, 0, new SequenceCommand.NextValue("d.s\0")));
    apply(new SessionCommand.AnnounceMember("g1", "h:1"));
    return CheckpointEncoder.encode(state);
  }

  /**
   * Version 1 ended before the time of the newest change, version 2 before the leader of mode lazy
   * that served last.
   */
  @Test
  void checkpointsOfOlderVersionsAreRead() {
    begin(BeginKind.GXID);
    byte[] now = CheckpointEncoder.encode(state);
    int served = Long.BYTES + Short.BYTES + Long.BYTES + 1;
    byte[] two = Arrays.copyOf(now, now.length - served);
    two[1] = 2;
    byte[] one = Arrays.copyOf(two, two.length - (Long.BYTES + 4 * Integer.BYTES));
    one[1] = 1;
    for (byte[] older : List.of(two, one)) {
      assertThat(decode(older).counts()).isEqualTo(state.counts());
      assertThat(decode(older).gateways()).isEmpty();
      assertThat(decode(older).served()).usingRecursiveComparison().isEqualTo(state.served());
    }
  }

  @Test
  void aCheckpointThatIsCutOrTooLongIsDamaged() {
    byte[] whole = encoded();
    assertThat(decode(whole).counts()).isEqualTo(state.counts());
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> decode(cut)).isInstanceOf(CorruptCheckpointException.class);
    }
    assertThatThrownBy(() -> decode(Arrays.copyOf(whole, whole.length + 1)))
        .isInstanceOf(CorruptCheckpointException.class)
        .hasMessage("the checkpoint is damaged: 1 bytes too many");
  }

  @Test
  void aNewerVersionIsToldApart() {
    byte[] newer = encoded();
    newer[1]++;
    assertThatThrownBy(() -> decode(newer))
        .isInstanceOf(UnknownVersionException.class)
        .hasMessage("the checkpoint has format version 4, this program knows up to 3");
  }

  @Test
  void numbersThatCannotBeAreDamaged() {
    byte[] whole = encoded();
    for (int count : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20}) {
      byte[] broken = whole.clone();
      ByteBuffer.wrap(broken).putInt(COUNT_AT, count);
      assertThatThrownBy(() -> decode(broken)).isInstanceOf(CorruptCheckpointException.class);
    }
    for (long next : new long[] {0, 2, 9_999, -1, Long.MAX_VALUE, 1L << 33}) {
      byte[] broken = whole.clone();
      ByteBuffer.wrap(broken).putLong(NEXT_AT, next);
      assertThatThrownBy(() -> decode(broken)).isInstanceOf(CorruptCheckpointException.class);
    }
    byte[] unreserved = whole.clone();
    ByteBuffer.wrap(unreserved).putLong(RESERVED_AT, 10_000);
    assertThatThrownBy(() -> decode(unreserved)).isInstanceOf(CorruptCheckpointException.class);
  }

  @Test
  void aHandleNamesItsTransactionAlsoAfterItGotItsGxid() {
    int handle = begin(BeginKind.HANDLE);
    TransactionRef ref = TransactionRef.handle(handle);
    TransactionReply.GxidAssigned assigned =
        (TransactionReply.GxidAssigned) apply(new TransactionCommand.AssignGxid(ref));
    GtmState restored = decode(CheckpointEncoder.encode(state));
    restored.beginEntry(1);
    assertThat(restored.apply(new TransactionCommand.AssignGxid(ref))).isEqualTo(assigned);
    assertThat(restored.apply(new TransactionCommand.End(ref, Outcome.COMMIT)))
        .isEqualTo(new TransactionReply.Ended(Outcome.COMMIT, assigned.gxid(), true));
  }

  @Test
  void aGidIsFreeAgainWhenItsTransactionEndsThatNeverHadAGxid() {
    for (int round = 0; round < 2; round++) {
      TransactionRef ref = TransactionRef.handle(begin(BeginKind.HANDLE));
      assertThat(apply(new TransactionCommand.StartPrepare(ref, "T1", "dn1")))
          .isEqualTo(new TransactionReply.PrepareStarted(0));
      apply(new TransactionCommand.End(ref, Outcome.ROLLBACK));
      assertThat(state.counts().prepared()).isZero();
    }
  }
}
