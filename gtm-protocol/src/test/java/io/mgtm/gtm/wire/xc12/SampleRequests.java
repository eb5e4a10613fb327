package io.mgtm.gtm.wire.xc12;

import static io.mgtm.gtm.wire.xc12.RequestFrame.command;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** One well-formed request of every type that is served, and some types in more than one form. */
public final class SampleRequests {
  /** The session that the expected commands are for. */
  public static final long SESSION = 77;

  private static final Isolation RC = Isolation.READ_COMMITTED;
  private static final Isolation SER = Isolation.SERIALIZABLE;

  /**
   * A request and what it means.
   *
   * @param hex what follows the message type
   */
  public record Sample(MessageType type, String hex, Command command) {
    /** What follows the message type. */
    public byte[] fields() {
      return HexFormat.of().parseHex(hex);
    }

    byte[] direct() {
      return RequestFrame.command(type).raw(fields()).bytes();
    }

    byte[] proxied(int backend) {
      return RequestFrame.proxied(backend, type).raw(fields()).bytes();
    }

    @Override
    public String toString() {
      return type + " " + command;
    }
  }

  private final short backend;
  private final List<Sample> samples = new ArrayList<>();

  private SampleRequests(short backend) {
    this.backend = backend;
    transactions();
    prepared();
    snapshots();
    sequences();
    nodes();
    backups();
  }

  /** Samples whose commands expect this backend. */
  public static List<Sample> all(int backend) {
    return new SampleRequests((short) backend).samples;
  }

  private void add(MessageType type, RequestFrame fields, Command command) {
    String hex = HexFormat.of().formatHex(fields.body()).substring(2 * Integer.BYTES);
    samples.add(new Sample(type, hex, command));
  }

  private static RequestFrame begin(MessageType type, int isolation, int readOnly) {
    return command(type).be32(isolation).u8(readOnly);
  }

  private void transactions() {
    MessageType type = MessageType.TXN_BEGIN;
    add(
        type,
        begin(type, 1, 0),
        new TransactionCommand.Begin(SESSION, backend, RC, false, BeginKind.HANDLE));
    type = MessageType.TXN_BEGIN_GETGXID;
    add(
        type,
        begin(type, 0, 1),
        new TransactionCommand.Begin(SESSION, backend, SER, true, BeginKind.GXID));
    type = MessageType.TXN_BEGIN_GETGXID_AUTOVACUUM;
    add(
        type,
        begin(type, 1, 1),
        new TransactionCommand.Begin(SESSION, backend, RC, true, BeginKind.AUTOVACUUM));
    type = MessageType.TXN_BEGIN_GETGXID_MULTI;
    List<BeginItem> items =
        List.of(new BeginItem((short) 3, RC, false), new BeginItem((short) 258, SER, true));
    add(
        type,
        command(type).be32(2).be32(1).u8(0).be16(3).be32(0).u8(1).be16(258),
        new TransactionCommand.BeginMany(SESSION, items));
    add(
        type,
        command(type).be32(2).be32(1).u8(0).be32(3).be32(0).u8(1).be32(258),
        new TransactionCommand.BeginMany(SESSION, items));
    type = MessageType.TXN_COMMIT;
    add(
        type,
        command(type).gxid(0xfffffff0),
        new TransactionCommand.End(TransactionRef.gxid(-16), Outcome.COMMIT));
    type = MessageType.TXN_ROLLBACK;
    add(
        type,
        command(type).handle(5),
        new TransactionCommand.End(TransactionRef.handle(5), Outcome.ROLLBACK));
    List<TransactionRef> refs = List.of(TransactionRef.gxid(10_000), TransactionRef.handle(1));
    type = MessageType.TXN_COMMIT_MULTI;
    add(
        type,
        command(type).be32(2).gxid(10_000).handle(1),
        new TransactionCommand.EndMany(refs, Outcome.COMMIT));
    type = MessageType.TXN_ROLLBACK_MULTI;
    add(
        type,
        command(type).be32(2).gxid(10_000).handle(1),
        new TransactionCommand.EndMany(refs, Outcome.ROLLBACK));
    transactionQueries();
  }

  private void transactionQueries() {
    MessageType type = MessageType.TXN_GET_GXID;
    add(type, command(type).le32(9), new TransactionCommand.AssignGxid(TransactionRef.handle(9)));
    type = MessageType.TXN_GET_NEXT_GXID;
    add(type, command(type), new TransactionCommand.GetNextGxid());
    type = MessageType.TXN_GXID_LIST;
    add(type, command(type), new TransactionCommand.ListTransactions());
    type = MessageType.TXN_GET_STATUS;
    add(
        type,
        command(type).gxid(10_001),
        new TransactionCommand.GetStatus(TransactionRef.gxid(10_001)));
    type = MessageType.MGTM_ADVANCE_OLDEST_GXID;
    add(type, command(type).le32(20_000), new TransactionCommand.AdvanceOldestGxid(20_000));
  }

  private void prepared() {
    MessageType type = MessageType.TXN_START_PREPARED;
    add(
        type,
        command(type).gxid(10_000).string("T1").string("dn1,dn2"),
        new TransactionCommand.StartPrepare(TransactionRef.gxid(10_000), "T1", "dn1,dn2"));
    type = MessageType.TXN_PREPARE;
    add(
        type,
        command(type).gxid(10_000),
        new TransactionCommand.Prepare(TransactionRef.gxid(10_000)));
    type = MessageType.TXN_COMMIT_PREPARED;
    add(
        type,
        command(type).gxid(10_000).gxid(10_002),
        new TransactionCommand.CommitPrepared(
            TransactionRef.gxid(10_000), TransactionRef.gxid(10_002)));
    type = MessageType.TXN_GET_GID_DATA;
    add(
        type,
        command(type).be32(1).u8(0).string("T\u00fc"),
        new TransactionCommand.BeginForPrepared(SESSION, backend, RC, false, "T\u00fc"));
    type = MessageType.TXN_GET_ALL_PREPARED;
    add(type, command(type), new TransactionCommand.ListPrepared());
  }

  private void snapshots() {
    MessageType type = MessageType.SNAPSHOT_GET;
    add(type, command(type).u8(1).gxid(7), new SnapshotCommand.GetSnapshot(TransactionRef.gxid(7)));
    type = MessageType.SNAPSHOT_GXID_GET;
    add(
        type,
        command(type).u8(0).handle(7),
        new SnapshotCommand.AssignGxidAndGetSnapshot(TransactionRef.handle(7)));
    type = MessageType.SNAPSHOT_GET_MULTI;
    add(
        type,
        command(type).be32(2).gxid(7).gxid(8),
        new SnapshotCommand.GetSnapshotMany(
            List.of(TransactionRef.gxid(7), TransactionRef.gxid(8))));
  }

  private void sequences() {
    String key = "db.public.s\0";
    MessageType type = MessageType.SEQUENCE_INIT;
    add(
        type,
        command(type).key("db.public.s").le64(2).le64(-5).le64(Long.MAX_VALUE).le64(1).u8(1),
        new SequenceCommand.Init(key, 2, -5, SequenceCommand.UNSET, 1, true));
    type = MessageType.SEQUENCE_GET_NEXT;
    add(type, command(type).key("db.public.s"), new SequenceCommand.NextValue(key));
    type = MessageType.SEQUENCE_GET_LAST;
    add(type, command(type).key("db.public.s"), new SequenceCommand.LastValue(key));
    type = MessageType.SEQUENCE_SET_VAL;
    add(
        type,
        command(type).key("db.public.s").le64(-1).u8(0),
        new SequenceCommand.SetValue(key, -1, false));
    type = MessageType.SEQUENCE_RESET;
    add(type, command(type).key("db.public.s"), new SequenceCommand.Reset(key));
    type = MessageType.SEQUENCE_CLOSE;
    add(type, command(type).key("db.public.s").le32(0), new SequenceCommand.Close(key));
    add(type, command(type).key("db").le32(1), new SequenceCommand.CloseDatabase("db\0"));
    type = MessageType.SEQUENCE_RENAME;
    add(
        type,
        command(type).key("db.public.s").key("db.public.t"),
        new SequenceCommand.Rename(key, "db.public.t\0"));
    type = MessageType.SEQUENCE_ALTER;
    add(
        type,
        command(type).key("db.public.s").le64(1).le64(2).le64(3).le64(4).le64(5).u8(0).u8(1),
        new SequenceCommand.Alter(key, 1, 2, 3, 4, 5, false, true));
    type = MessageType.SEQUENCE_LIST;
    add(type, command(type), new SequenceCommand.ListAll());
  }

  private void nodes() {
    MessageType type = MessageType.NODE_REGISTER;
    add(
        type,
        command(type)
            .le32(4)
            .string("dn1")
            .string("10.0.0.1")
            .le32(15_432)
            .string("")
            .string("/data")
            .le32(0),
        new NodeCommand.Register(
            SESSION,
            new NodeCommand.NodeAddress(
                NodeType.DATANODE, "dn1", "", "10.0.0.1", 15_432, "/data")));
    type = MessageType.NODE_UNREGISTER;
    add(
        type,
        command(type).le32(3).string("co1"),
        new NodeCommand.Unregister(NodeType.COORDINATOR, "co1"));
    type = MessageType.NODE_LIST;
    add(type, command(type), new NodeCommand.ListAll());
    type = MessageType.BACKEND_DISCONNECT;
    add(
        type,
        command(type).u8(0),
        new SessionCommand.DisconnectBackend(SESSION, backend, false, null, ""));
    add(
        type,
        command(type).u8(1).le32(3).string("co1"),
        new SessionCommand.DisconnectBackend(SESSION, backend, true, NodeType.COORDINATOR, "co1"));
  }

  private void backups() {
    MessageType type = MessageType.BARRIER;
    add(type, command(type).string("b1"), new BackupCommand.Barrier("b1"));
    add(type, command(type).string("b2\0"), new BackupCommand.Barrier("b2"));
    type = MessageType.BEGIN_BACKUP;
    add(type, command(type), new BackupCommand.BeginBackup(SESSION));
    type = MessageType.END_BACKUP;
    add(type, command(type), new BackupCommand.EndBackup(SESSION));
    type = MessageType.MGTM_BARRIER_LIST;
    add(type, command(type), new BackupCommand.ListBarriers());
  }
}
