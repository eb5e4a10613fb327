package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import java.util.List;
import org.junit.jupiter.api.Test;

class GtmStateTest {
  private static final Limits LIMITS = new Limits(3, 2, 2, 2, 100, 1_000);

  private final GtmState state = new GtmState(10_000);

  private Reply apply(Command command) {
    state.beginEntry(77);
    return state.apply(command);
  }

  private int begin(long session) {
    return ((TransactionReply.Began) apply(beginCommand(session))).gxid();
  }

  private static Command beginCommand(long session) {
    return new TransactionCommand.Begin(
        session, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private static Reason reason(Reply reply) {
    return ((Reply.Rejected) reply).reason();
  }

  private static TransactionRef gxid(int gxid) {
    return TransactionRef.gxid(gxid);
  }

  private static Command end(int gxid) {
    return new TransactionCommand.End(gxid(gxid), Outcome.COMMIT);
  }

  private static Command register(long session, String name) {
    return new NodeCommand.Register(
        session, new NodeAddress(NodeType.DATANODE, name, "", "h", 5432, "/d"));
  }

  @Test
  void anUnknownTransactionIsToldByStatusAndChangesNothing() {
    assertThat(apply(end(4711))).isEqualTo(new TransactionReply.Ended(Outcome.COMMIT, 4711, false));
    assertThat(state.effect()).isEqualTo(Effect.NONE);
    assertThat(reason(apply(new SnapshotCommand.GetSnapshot(gxid(4711)))))
        .isEqualTo(Reason.NO_SUCH_TRANSACTION);
    assertThat(reason(apply(new TransactionCommand.Prepare(gxid(4711)))))
        .isEqualTo(Reason.NO_SUCH_TRANSACTION);
  }

  @Test
  void aPreparedTransactionOutlivesItsSessionAndIsEndedByItsGid() {
    int prepared = begin(1);
    apply(new TransactionCommand.StartPrepare(gxid(prepared), "p1", "d1,d2"));
    assertThat(state.effect()).isEqualTo(Effect.FORCED);
    apply(new TransactionCommand.Prepare(gxid(prepared)));
    int running = begin(1);
    apply(new SessionCommand.CloseSession(1));
    assertThat(state.counts().transactions()).isEqualTo(1);
    assertThat(reason(apply(new TransactionCommand.GetStatus(gxid(running)))))
        .isEqualTo(Reason.NO_SUCH_TRANSACTION);

    TransactionReply.BeganForPrepared began =
        (TransactionReply.BeganForPrepared)
            apply(
                new TransactionCommand.BeginForPrepared(
                    2, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, "p1"));
    assertThat(began.preparedGxid()).isEqualTo(prepared);
    assertThat(began.nodes()).isEqualTo("d1,d2");
    assertThat(apply(new TransactionCommand.CommitPrepared(gxid(prepared), gxid(began.gxid()))))
        .isEqualTo(new TransactionReply.PreparedCommitted(prepared, true));
    assertThat(state.effect()).isEqualTo(Effect.FORCED);
    assertThat(state.counts().transactions()).isZero();
  }

  @Test
  void aGidIsHeldByOneTransaction() {
    int a = begin(1);
    int b = begin(1);
    apply(new TransactionCommand.StartPrepare(gxid(a), "p", ""));
    assertThat(reason(apply(new TransactionCommand.StartPrepare(gxid(b), "p", ""))))
        .isEqualTo(Reason.GID_IN_USE);
    assertThat(reason(apply(new TransactionCommand.Prepare(gxid(b))))).isEqualTo(Reason.BAD_STATE);
  }

  @Test
  void aProxysBackendTakesOnlyItsOwnTransactionsAlong() {
    apply(
        new TransactionCommand.BeginMany(
            1,
            List.of(
                new BeginItem((short) 5, Isolation.READ_COMMITTED, false),
                new BeginItem((short) 6, Isolation.READ_COMMITTED, false),
                new BeginItem((short) 5, Isolation.SERIALIZABLE, true))));
    apply(new SessionCommand.DisconnectBackend(1, (short) 5, false, null, ""));
    assertThat(state.counts().transactions()).isEqualTo(1);
    apply(new SessionCommand.DisconnectBackend(2, (short) 6, false, null, ""));
    assertThat(state.counts().transactions()).isEqualTo(1);
  }

  @Test
  void limitsGuardTheDoorAndNotTheReplay() {
    state.setLimits(LIMITS);
    begin(1);
    begin(1);
    begin(1);
    assertThat(reason(apply(beginCommand(1)))).isEqualTo(Reason.TRANSACTION_LIMIT);
    apply(end(10_002));
    int last = begin(1);
    apply(end(last));
    apply(register(1, "a"));
    apply(register(1, "b"));
    assertThat(reason(apply(register(1, "c")))).isEqualTo(Reason.NODE_LIMIT);
    state.setLimits(Limits.NONE);
    assertThat(apply(beginCommand(1))).isInstanceOf(TransactionReply.Began.class);
  }

  @Test
  void aSnapshotThatAClientCannotHoldIsRefused() {
    state.setLimits(new Limits(100, 2, 10, 10, 100, 1_000));
    int[] gxids = new int[4];
    for (int i = 0; i < gxids.length; i++) {
      gxids[i] = begin(1);
    }
    Command snapshot = new SnapshotCommand.GetSnapshot(gxid(gxids[0]));
    apply(end(gxids[3]));
    assertThat(reason(apply(snapshot))).isEqualTo(Reason.SNAPSHOT_LIMIT);
    apply(end(gxids[2]));
    assertThat(apply(snapshot)).isInstanceOf(io.mgtm.gtm.command.SnapshotReply.Snapshot.class);
  }

  @Test
  void beginsStopBeforeIdsWrapAndGoOnWhenTheOldestMoves() {
    long first = 10_000;
    long margin = (1L << 31) - 5;
    state.setLimits(new Limits(100, 100, 2, 2, margin, margin));
    for (int i = 0; i < 5; i++) {
      apply(end(begin(1)));
    }
    assertThat(reason(apply(beginCommand(1)))).isEqualTo(Reason.GXID_LIMIT);
    assertThat(state.gxidsUntilStop()).isZero();
    assertThat(reason(apply(new TransactionCommand.AdvanceOldestGxid((int) first - 1))))
        .isEqualTo(Reason.BAD_GXID);
    assertThat(reason(apply(new TransactionCommand.AdvanceOldestGxid((int) first + 6))))
        .isEqualTo(Reason.BAD_GXID);
    assertThat(apply(new TransactionCommand.AdvanceOldestGxid((int) first + 5)))
        .isInstanceOf(TransactionReply.OldestGxidAdvanced.class);
    assertThat(apply(beginCommand(1))).isInstanceOf(TransactionReply.Began.class);
  }

  @Test
  void aNodeRegistersAgainOnlyAfterItsConnectionHasGone() {
    apply(register(1, "d1"));
    assertThat(state.effect()).isEqualTo(Effect.FORCED);
    assertThat(reason(apply(register(2, "d1")))).isEqualTo(Reason.NODE_CONNECTED);
    apply(new SessionCommand.CloseSession(2));
    assertThat(reason(apply(register(2, "d1")))).isEqualTo(Reason.NODE_CONNECTED);
    apply(new SessionCommand.CloseSession(1));
    NodeReply.NodeList list = (NodeReply.NodeList) apply(new NodeCommand.ListAll());
    assertThat(list.nodes()).singleElement().matches(n -> !n.connected());
    assertThat(apply(register(2, "d1"))).isInstanceOf(NodeReply.Registered.class);
    apply(new NodeCommand.Unregister(NodeType.DATANODE, "d1"));
    assertThat(reason(apply(new NodeCommand.Unregister(NodeType.DATANODE, "d1"))))
        .isEqualTo(Reason.NO_SUCH_NODE);
  }

  @Test
  void aNodeBehindAProxyIsDisconnectedByItsOwnBackendOnly() {
    apply(register(9, "d1"));
    apply(new SessionCommand.DisconnectBackend(8, (short) 1, true, NodeType.DATANODE, "d1"));
    assertThat(reason(apply(register(9, "d1")))).isEqualTo(Reason.NODE_CONNECTED);
    apply(new SessionCommand.DisconnectBackend(9, (short) 1, true, NodeType.DATANODE, "d1"));
    assertThat(apply(register(9, "d1"))).isInstanceOf(NodeReply.Registered.class);
  }

  @Test
  void aRestartAbortsWhatWasOpenAndSkipsWhatMayHaveBeenGiven() {
    int prepared = begin(1);
    apply(new TransactionCommand.StartPrepare(gxid(prepared), "p", ""));
    int running = begin(1);
    apply(register(1, "d1"));
    apply(new SequenceCommand.Init("db.s.q\0", 1, 1, 1_000_000, 1, false));
    apply(new SequenceCommand.NextValue("db.s.q\0"));
    apply(new SessionCommand.Restart(false));
    assertThat(state.effect()).isEqualTo(Effect.FORCED);
    assertThat(state.counts().transactions()).isEqualTo(1);
    assertThat(state.counts().nextGxid()).isGreaterThan(running + 65_536);
    NodeReply.NodeList list = (NodeReply.NodeList) apply(new NodeCommand.ListAll());
    assertThat(list.nodes()).singleElement().matches(n -> !n.connected());
    long nextGxid = state.counts().nextGxid();
    apply(new SessionCommand.Restart(true));
    assertThat(state.counts().nextGxid()).isEqualTo(nextGxid);
  }

  @Test
  void barriersAreRememberedUpToABound() {
    for (int i = 0; i < BarrierLog.KEPT + 5; i++) {
      apply(new BackupCommand.Barrier("b" + i));
    }
    BackupReply.BarrierList list =
        (BackupReply.BarrierList) apply(new BackupCommand.ListBarriers());
    assertThat(list.barriers()).hasSize(BarrierLog.KEPT);
    assertThat(list.barriers().get(0)).isEqualTo(new BackupReply.BarrierInfo("b5", 10_000, 77));
  }

  @Test
  void handlesAreGivenToOneTransactionAtATime() {
    Command handle =
        new TransactionCommand.Begin(
            1, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.HANDLE);
    int a = ((TransactionReply.Began) apply(handle)).handle();
    int b = ((TransactionReply.Began) apply(handle)).handle();
    assertThat(a).isNotEqualTo(b);
    TransactionRef ref = TransactionRef.handle(a);
    int first =
        ((TransactionReply.GxidAssigned) apply(new TransactionCommand.AssignGxid(ref))).gxid();
    int again =
        ((TransactionReply.GxidAssigned) apply(new TransactionCommand.AssignGxid(ref))).gxid();
    assertThat(again).isEqualTo(first);
    apply(new TransactionCommand.End(ref, Outcome.ROLLBACK));
    assertThat(reason(apply(new TransactionCommand.GetStatus(gxid(first)))))
        .isEqualTo(Reason.NO_SUCH_TRANSACTION);
    assertThat(reason(apply(new TransactionCommand.GetStatus(ref))))
        .isEqualTo(Reason.NO_SUCH_TRANSACTION);
  }
}
