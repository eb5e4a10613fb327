package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;

/** What each type of command does: a case each, and a type without one does not compile. */
final class Rules {
  private final Tables tables;
  private final Applying applying;
  private final TransactionRules transactions;
  private final SnapshotRules snapshots;
  private final SequenceRules sequences;
  private final SessionRules sessions;

  Rules(Tables tables, Applying applying) {
    this.tables = tables;
    this.applying = applying;
    transactions = new TransactionRules(tables.gxids(), tables.transactions(), applying);
    snapshots = new SnapshotRules(tables.gxids(), tables.transactions(), transactions, applying);
    sequences = new SequenceRules(tables.sequences(), applying);
    sessions = new SessionRules(tables, applying, transactions);
  }

  TransactionRules transactions() {
    return transactions;
  }

  /** Applies one command; what it did is told to {@link Applying}. */
  Reply apply(Command c) {
    applying.effect = Effect.NONE;
    return switch (c.type()) {
      case RESTART -> sessions.restart((SessionCommand.Restart) c);
      case OPEN_SESSION -> sessions.open((SessionCommand.OpenSession) c);
      case CLOSE_SESSION -> sessions.close((SessionCommand.CloseSession) c);
      case DISCONNECT_BACKEND -> sessions.disconnect((SessionCommand.DisconnectBackend) c);
      case NUMBERED -> numbered((SessionCommand.Numbered) c);
      case OPEN_FRONT -> sessions.openGateway((SessionCommand.OpenGateway) c);
      case ANNOUNCE_MEMBER -> sessions.announce((SessionCommand.AnnounceMember) c);
      case SERVE_TERM -> sessions.serve((SessionCommand.ServeTerm) c);
      case SKIP_AHEAD -> sessions.skipAhead((SessionCommand.SkipAhead) c);
      case BEGIN -> transactions.begin((TransactionCommand.Begin) c);
      case BEGIN_MANY -> transactions.beginMany((TransactionCommand.BeginMany) c);
      case ASSIGN_GXID -> transactions.assignGxid((TransactionCommand.AssignGxid) c);
      case END -> transactions.end((TransactionCommand.End) c);
      case END_MANY -> transactions.endMany((TransactionCommand.EndMany) c);
      case START_PREPARE -> transactions.startPrepare((TransactionCommand.StartPrepare) c);
      case PREPARE -> transactions.prepare((TransactionCommand.Prepare) c);
      case COMMIT_PREPARED -> transactions.commitPrepared((TransactionCommand.CommitPrepared) c);
      case BEGIN_FOR_PREPARED ->
          transactions.beginForPrepared((TransactionCommand.BeginForPrepared) c);
      case ADVANCE_OLDEST_GXID ->
          transactions.advanceOldest((TransactionCommand.AdvanceOldestGxid) c);
      case GET_NEXT_GXID -> transactions.nextGxid();
      case GET_STATUS -> transactions.status((TransactionCommand.GetStatus) c);
      case LIST_TRANSACTIONS -> transactions.list();
      case LIST_PREPARED -> transactions.listPrepared();
      case START_GXIDS -> transactions.startGxids((TransactionCommand.StartGxids) c);
      case GET_SNAPSHOT -> snapshots.take((SnapshotCommand.GetSnapshot) c);
      case GET_SNAPSHOT_MANY -> snapshots.takeMany((SnapshotCommand.GetSnapshotMany) c);
      case ASSIGN_GXID_AND_GET_SNAPSHOT ->
          snapshots.assignAndTake((SnapshotCommand.AssignGxidAndGetSnapshot) c);
      case INIT_SEQUENCE -> sequences.init((SequenceCommand.Init) c);
      case NEXT_VALUE -> sequences.nextValue((SequenceCommand.NextValue) c);
      case LAST_VALUE -> sequences.lastValue((SequenceCommand.LastValue) c);
      case SET_VALUE -> sequences.setValue((SequenceCommand.SetValue) c);
      case RESET_SEQUENCE -> sequences.reset((SequenceCommand.Reset) c);
      case CLOSE_SEQUENCE -> sequences.close((SequenceCommand.Close) c);
      case CLOSE_SEQUENCES_OF_DATABASE ->
          sequences.closeDatabase((SequenceCommand.CloseDatabase) c);
      case RENAME_SEQUENCE -> sequences.rename((SequenceCommand.Rename) c);
      case ALTER_SEQUENCE -> sequences.alter((SequenceCommand.Alter) c);
      case LIST_SEQUENCES -> sequences.list();
      case RESTORE_SEQUENCE -> sequences.restore((SequenceCommand.Restore) c);
      case REGISTER_NODE -> tables.nodes().register((NodeCommand.Register) c, applying);
      case UNREGISTER_NODE -> tables.nodes().unregister((NodeCommand.Unregister) c, applying);
      case LIST_NODES -> new NodeReply.NodeList(tables.nodes().list(Integer.MAX_VALUE));
      case BARRIER -> barrier((BackupCommand.Barrier) c);
      case BEGIN_BACKUP, END_BACKUP -> new BackupReply.Done(c.type());
      case LIST_BARRIERS -> new BackupReply.BarrierList(tables.barriers().list());
    };
  }

  /** A gateway's command: one that had an effect is not done again. */
  private Reply numbered(SessionCommand.Numbered c) {
    GatewaySession session = tables.sessions().gateway(c.session());
    if (session == null) {
      return new Reply.Rejected(
          Reply.Reason.SESSION_LOST, "the session has ended", "Connect again.");
    }
    Reply known = session.replyTo(c.number());
    if (known != null) {
      return known;
    }
    Reply reply = apply(c.inner());
    if (applying.effect != Effect.NONE) {
      session.done(c.number(), c.acked(), reply);
    }
    return reply;
  }

  private Reply barrier(BackupCommand.Barrier c) {
    tables
        .barriers()
        .add(new BackupReply.BarrierInfo(c.id(), tables.gxids().next(), applying.nowMicros));
    applying.did(Effect.FORCED);
    return new BackupReply.Done(CommandType.BARRIER);
  }
}
