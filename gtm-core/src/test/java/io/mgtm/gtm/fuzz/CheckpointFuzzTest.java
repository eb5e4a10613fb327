package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointDecoder.CorruptCheckpointException;
import io.mgtm.gtm.state.CheckpointDecoder.UnknownVersionException;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import java.nio.ByteBuffer;

/**
 * Whatever a checkpoint holds: a state that can be worked with, or one of the two documented
 * exceptions.
 */
class CheckpointFuzzTest {
  @FuzzTest(maxDuration = "2m")
  void aCheckpointsBytes(byte[] data) {
    GtmState state;
    try {
      state = CheckpointDecoder.decode(ByteBuffer.wrap(data));
    } catch (CorruptCheckpointException | UnknownVersionException e) {
      assertThat(e.getMessage()).isNotEmpty();
      return;
    }
    byte[] again = CheckpointEncoder.encode(state);
    GtmState copy = CheckpointDecoder.decode(ByteBuffer.wrap(again));
    assertThat(copy.counts()).isEqualTo(state.counts());
    use(state);
    use(copy);
  }

  private static void use(GtmState state) {
    state.setLimits(new Limits(65_536, 4_096, 1_000_000, 1_024, 1_000_000, 11_000_000));
    state.beginEntry(1);
    state.apply(new SessionCommand.Restart(false));
    long next = state.counts().nextGxid();
    Reply begun =
        state.apply(
            new TransactionCommand.Begin(
                1, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID));
    if (begun instanceof TransactionReply.Began began) {
      assertThat(began.gxid()).isEqualTo((int) next);
      state.apply(new SnapshotCommand.GetSnapshot(TransactionRef.gxid(began.gxid())));
    } else {
      assertThat(((Reply.Rejected) begun).reason())
          .isIn(Reply.Reason.GXID_LIMIT, Reply.Reason.TRANSACTION_LIMIT);
    }
    SequenceReply.SequenceList list =
        (SequenceReply.SequenceList) state.apply(new SequenceCommand.ListAll());
    for (SequenceReply.SequenceInfo sequence : list.sequences()) {
      state.apply(new SequenceCommand.NextValue(sequence.key()));
    }
    state.apply(new TransactionCommand.ListTransactions());
    CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
  }
}
