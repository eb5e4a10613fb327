package io.mgtm.gtm.client;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionReply;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A blocking client of a GTM, for tools and tests: one connection, one request at a time, one
 * thread. Every method throws {@link GtmErrorException} when the GTM answers with an error, and
 * another {@link IOException} when the connection or the protocol breaks; the client is then to be
 * closed. Gxids are the low 32 bits.
 *
 * <p>The original GTM answers the commands of Postgres-XC 1.2 only; the status of a transaction,
 * the list of the prepared ones and mgtm's extensions it does not.
 */
public final class GtmClient implements AutoCloseable {
  /** The server fills in the session it accepted. */
  private static final long NO_SESSION = 0;

  private final GtmConnection connection;

  private GtmClient(GtmConnection connection) {
    this.connection = connection;
  }

  /** Connects and says who it is; the exception's message names the address and the cause. */
  public static GtmClient connect(SocketAddress address, ClientSettings settings)
      throws IOException {
    return new GtmClient(GtmConnection.open(address, settings));
  }

  /** As the other, with {@link ClientSettings#defaults}. */
  public static GtmClient connect(SocketAddress address) throws IOException {
    return connect(address, ClientSettings.defaults());
  }

  /** The key of {@code database.schema.sequence} as coordinators send it. */
  public static String sequenceKey(String name) {
    return new String(name.getBytes(StandardCharsets.UTF_8), Names.BYTES) + '\0';
  }

  /** Sends a command, and waits for a reply of this type. */
  public <T extends Reply> T call(Command command, Class<T> type) throws IOException {
    Reply reply = connection.call(command);
    if (!type.isInstance(reply)) {
      throw new IOException(
          "the GTM answered " + command.type() + " with a " + reply.getClass().getSimpleName());
    }
    return type.cast(reply);
  }

  public TransactionReply.Began begin(BeginKind kind, Isolation isolation, boolean readOnly)
      throws IOException {
    return call(
        new TransactionCommand.Begin(NO_SESSION, Command.NO_BACKEND, isolation, readOnly, kind),
        TransactionReply.Began.class);
  }

  /** Begins a read-committed transaction; its gxid. */
  public int begin() throws IOException {
    return begin(BeginKind.GXID, Isolation.READ_COMMITTED, false).gxid();
  }

  /** Commits; whether there was such a transaction. */
  public boolean commit(int gxid) throws IOException {
    return end(TransactionRef.gxid(gxid), Outcome.COMMIT).known();
  }

  /** Rolls back; whether there was such a transaction. */
  public boolean rollback(int gxid) throws IOException {
    return end(TransactionRef.gxid(gxid), Outcome.ROLLBACK).known();
  }

  public TransactionReply.Ended end(TransactionRef transaction, Outcome outcome)
      throws IOException {
    return call(new TransactionCommand.End(transaction, outcome), TransactionReply.Ended.class);
  }

  /** The first half of PREPARE TRANSACTION. */
  public void startPrepare(int gxid, String gid, String nodes) throws IOException {
    call(
        new TransactionCommand.StartPrepare(TransactionRef.gxid(gxid), gid, nodes),
        TransactionReply.PrepareStarted.class);
  }

  /** The second half. */
  public void prepare(int gxid) throws IOException {
    call(
        new TransactionCommand.Prepare(TransactionRef.gxid(gxid)), TransactionReply.Prepared.class);
  }

  /** Ends a prepared transaction and the one that ran COMMIT PREPARED. */
  public boolean commitPrepared(int preparedGxid, int committingGxid) throws IOException {
    return call(
            new TransactionCommand.CommitPrepared(
                TransactionRef.gxid(preparedGxid), TransactionRef.gxid(committingGxid)),
            TransactionReply.PreparedCommitted.class)
        .known();
  }

  /** Begins the transaction that will end the prepared one of a GID, and tells of the latter. */
  public TransactionReply.BeganForPrepared beginForPrepared(String gid) throws IOException {
    return call(
        new TransactionCommand.BeginForPrepared(
            NO_SESSION, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, gid),
        TransactionReply.BeganForPrepared.class);
  }

  /** The gxid that the next begin will get. */
  public int nextGxid() throws IOException {
    return call(new TransactionCommand.GetNextGxid(), TransactionReply.NextGxid.class).gxid();
  }

  /** The counters and the open transactions. */
  public TransactionReply.TransactionList transactions() throws IOException {
    return call(new TransactionCommand.ListTransactions(), TransactionReply.TransactionList.class);
  }

  /** The prepared transactions, with gxid, GID and nodes. */
  public List<TransactionReply.TransactionInfo> preparedTransactions() throws IOException {
    return call(new TransactionCommand.ListPrepared(), TransactionReply.PreparedList.class)
        .transactions();
  }

  /** Says that no table holds an older transaction id any more. */
  public TransactionReply.OldestGxidAdvanced advanceOldestGxid(int gxid) throws IOException {
    return call(
        new TransactionCommand.AdvanceOldestGxid(gxid), TransactionReply.OldestGxidAdvanced.class);
  }

  /** A snapshot for one transaction. */
  public SnapshotReply.Snapshot snapshot(int gxid) throws IOException {
    return call(
        new SnapshotCommand.GetSnapshot(TransactionRef.gxid(gxid)), SnapshotReply.Snapshot.class);
  }

  /** Does what a sequence command that gives no value says; keys as {@link #sequenceKey}. */
  public void sequence(SequenceCommand command) throws IOException {
    call(command, SequenceReply.Done.class);
  }

  /** Creates a sequence from 1 upwards. */
  public void createSequence(String key) throws IOException {
    long unset = SequenceCommand.UNSET;
    sequence(new SequenceCommand.Init(key, 1, unset, unset, 1, false));
  }

  public void dropSequence(String key) throws IOException {
    sequence(new SequenceCommand.Close(key));
  }

  /** Draws a value. */
  public long nextValue(String key) throws IOException {
    return call(new SequenceCommand.NextValue(key), SequenceReply.Value.class).value();
  }

  /** The value that was drawn last. */
  public long lastValue(String key) throws IOException {
    return call(new SequenceCommand.LastValue(key), SequenceReply.Value.class).value();
  }

  /** Every sequence. */
  public List<SequenceReply.SequenceInfo> sequences() throws IOException {
    return call(new SequenceCommand.ListAll(), SequenceReply.SequenceList.class).sequences();
  }

  /** Registers a node over this connection. */
  public void register(NodeCommand.NodeAddress node) throws IOException {
    call(new NodeCommand.Register(NO_SESSION, node), NodeReply.Registered.class);
  }

  /** Forgets a node. */
  public void unregister(NodeType type, String name) throws IOException {
    call(new NodeCommand.Unregister(type, name), NodeReply.Unregistered.class);
  }

  /** Every registered node. */
  public List<NodeReply.NodeInfo> nodes() throws IOException {
    return call(new NodeCommand.ListAll(), NodeReply.NodeList.class).nodes();
  }

  /** Tells that a node's own connection has ended; the GTM does not answer. */
  public void disconnect(NodeType type, String name) throws IOException {
    connection.tell(
        new SessionCommand.DisconnectBackend(NO_SESSION, Command.NO_BACKEND, true, type, name));
  }

  /** Remembers a point that the cluster can be restored to. */
  public void barrier(String id) throws IOException {
    call(new BackupCommand.Barrier(id), BackupReply.Done.class);
  }

  /** Lets this connection's lists show this moment. */
  public void beginBackup() throws IOException {
    call(new BackupCommand.BeginBackup(NO_SESSION), BackupReply.Done.class);
  }

  /** Lets them show the present again. */
  public void endBackup() throws IOException {
    call(new BackupCommand.EndBackup(NO_SESSION), BackupReply.Done.class);
  }

  /** The barriers that are remembered. */
  public List<BackupReply.BarrierInfo> barriers() throws IOException {
    return call(new BackupCommand.ListBarriers(), BackupReply.BarrierList.class).barriers();
  }

  /** Says that it leaves, and closes. */
  @Override
  public void close() throws IOException {
    connection.close();
  }
}
