package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A gateway's commands change the state once, however often they come. */
class NumberedCommandsTest {
  private static final long SESSION = 1L << 62;
  private static final String KEY = "d.s\0";

  private GtmState state = new GtmState(10_000);

  private Reply apply(Command command) {
    state.beginEntry(5);
    return state.apply(command);
  }

  private Reply numbered(long number, long acked, Command inner) {
    return apply(new SessionCommand.Numbered(SESSION, number, acked, inner));
  }

  private void open() {
    apply(new SessionCommand.OpenGateway(SESSION, "p1", GatewayKind.PROXY, false));
  }

  private static Command begin() {
    return new TransactionCommand.Begin(
        SESSION, (short) 1, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  @Test
  void aRepeatedBeginGivesTheSameGxidAndChangesNothing() {
    open();
    Reply first = numbered(1, 0, begin());
    assertThat(state.effect()).isNotEqualTo(Effect.NONE);
    byte[] before = CheckpointEncoder.encode(state);
    assertThat(numbered(1, 0, begin())).isEqualTo(first);
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    assertThat(CheckpointEncoder.encode(state)).isEqualTo(before);
    assertThat(((TransactionReply.Began) numbered(2, 0, begin())).gxid()).isEqualTo(10_001);
  }

  @Test
  void repliesSurviveACheckpoint() {
    open();
    Reply first = numbered(1, 0, begin());
    state = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
    assertThat(numbered(1, 0, begin())).isEqualTo(first);
    assertThat(state.gateway(SESSION))
        .isEqualTo(new GtmState.GatewayInfo(SESSION, "p1", GatewayKind.PROXY, false, 1));
  }

  @Test
  void anUnknownSessionIsLost() {
    Reply reply = numbered(1, 0, begin());
    assertThat(((Reply.Rejected) reply).reason()).isEqualTo(Reply.Reason.SESSION_LOST);
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    assertThat(state.counts().transactions()).isZero();
  }

  @Test
  void whatTheGatewayHasIsForgotten() {
    open();
    numbered(1, 0, begin());
    numbered(2, 0, begin());
    numbered(3, 2, begin());
    assertThat(state.tables().sessions().gateway(SESSION).replies().size()).isEqualTo(1);
  }

  @Test
  void aCommandWithoutEffectIsDoneAnew() {
    open();
    assertThat(numbered(1, 0, new SequenceCommand.NextValue(KEY)))
        .isInstanceOf(Reply.Rejected.class);
    numbered(2, 0, new SequenceCommand.Init(KEY, 1, 1, 9, 1, false));
    assertThat(numbered(1, 0, new SequenceCommand.NextValue(KEY)))
        .isEqualTo(new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, 1));
    assertThat(numbered(1, 0, new SequenceCommand.NextValue(KEY)))
        .isEqualTo(new SequenceReply.Value(CommandType.NEXT_VALUE, KEY, 1));
  }

  @Test
  void closingASessionEndsItsTransactionsAndItsReplies() {
    open();
    numbered(1, 0, begin());
    apply(new SessionCommand.CloseSession(SESSION));
    assertThat(state.counts().transactions()).isZero();
    assertThat(state.gateway(SESSION)).isNull();
  }

  @Test
  void aRestartEndsTheSessionsOfGateways() {
    open();
    apply(new SessionCommand.Restart(false));
    assertThat(state.gateways()).isEmpty();
  }

  @Test
  void openingAgainKeepsTheSession() {
    open();
    numbered(1, 0, begin());
    open();
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    assertThat(state.gateway(SESSION).last()).isEqualTo(1);
  }

  @Test
  void membersTellWhereTheyAre() {
    apply(new SessionCommand.AnnounceMember("g1", "h:1"));
    assertThat(state.effect()).isEqualTo(Effect.LOGGED);
    apply(new SessionCommand.AnnounceMember("g1", "h:1"));
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    apply(new SessionCommand.AnnounceMember("g2", "h:2"));
    apply(new SessionCommand.AnnounceMember("g1", ""));
    assertThat(state.memberAddresses()).containsOnlyKeys("g2");
  }

  @Test
  void theTimeOfTheNewestChangeIsKept() {
    state.beginEntry(77);
    state.apply(new TransactionCommand.GetNextGxid());
    assertThat(state.changedMicros()).isZero();
    state.apply(begin());
    state = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(state)));
    assertThat(state.changedMicros()).isEqualTo(77);
  }

  @ParameterizedTest
  @MethodSource("io.mgtm.gtm.state.RepeatedCommands#seeds")
  void repetitionsAndRestoresLeaveNoTrace(int seed) {
    assertThat(new RepeatedCommands(seed, RepeatedCommands.Fault.NONE).run()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(value = RepeatedCommands.Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsFound(RepeatedCommands.Fault fault) {
    assertThat(RepeatedCommands.seeds().mapToObj(seed -> new RepeatedCommands(seed, fault).run()))
        .as("what is found under %s", fault)
        .anyMatch(found -> !found.isEmpty());
  }
}
