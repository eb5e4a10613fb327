package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand.StartGxids;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Where gxids begin is itself a command of the log. */
class FirstGxidTest {
  private static GtmState empty() {
    GtmState state = GtmState.empty();
    state.beginEntry(0);
    return state;
  }

  private static Command roundTrip(Command command) {
    ByteBuffer bytes = ByteBuffer.allocate(4_096);
    CommandCodec.encodeLogged(command, bytes);
    Command decoded = CommandCodec.decodeLogged(bytes.flip());
    assertThat(bytes.hasRemaining()).isFalse();
    return decoded;
  }

  @Test
  void anEmptyStateHasNotStartedAndSaysSoAfterACheckpoint() {
    GtmState restored =
        CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(empty())));
    assertThat(restored.started()).isFalse();
  }

  @Test
  void itStartsOnceAndStaysStarted() {
    GtmState state = empty();
    state.apply(new StartGxids(7_000, 3));
    assertThat(state.effect()).isEqualTo(Effect.FORCED);
    assertThat(state.counts().nextGxid()).isEqualTo(7_000);
    assertThat(state.apply(new StartGxids(9_000, 3))).isInstanceOf(Reply.Rejected.class);
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    GtmState restored = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
    assertThat(restored.started()).isTrue();
    assertThat(restored.counts().nextGxid()).isEqualTo(7_000);
  }

  @Test
  void aCrashSkipsFromTheFirstGxidOn() {
    GtmState state = empty();
    state.apply(new StartGxids(5_000_000, 3));
    state.apply(new SessionCommand.Restart(false));
    assertThat(state.counts().nextGxid()).isEqualTo(5_000_000 + 2 * GxidAllocator.RESERVE_STEP);
  }

  @Test
  void anOldestAfterTheNextIsRefused() {
    assertThat(empty().apply(new StartGxids(10, 11))).isInstanceOf(Reply.Rejected.class);
    assertThat(empty().apply(new StartGxids(10, 0))).isInstanceOf(Reply.Rejected.class);
    assertThat(empty().apply(new StartGxids(10, 10))).isNotInstanceOf(Reply.Rejected.class);
  }

  @Test
  void theCommandsComeBackFromTheLog() {
    StartGxids start = new StartGxids(0x1_0000_0005L, 3);
    assertThat(roundTrip(start)).isEqualTo(start);
    SequenceCommand.Restore restore =
        new SequenceCommand.Restore("d.s.a\0", -2, -9, 9, 4, -1, true, false);
    assertThat(roundTrip(restore)).isEqualTo(restore);
  }
}
