package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * The kinds of command, a row each: the code, which stands in the log and never changes its
 * meaning, what may be done with it, and how its fields are read.
 */
public enum CommandType {
  RESTART(1, Kind.INTERNAL, SessionCommand.Restart::read),
  OPEN_SESSION(2, Kind.INTERNAL, SessionCommand.OpenSession::read),
  CLOSE_SESSION(3, Kind.INTERNAL, SessionCommand.CloseSession::read),
  DISCONNECT_BACKEND(4, Kind.CHANGE, SessionCommand.DisconnectBackend::read),
  NUMBERED(5, Kind.INTERNAL, SessionCommand.Numbered::read),
  OPEN_FRONT(6, Kind.INTERNAL, SessionCommand.OpenGateway::read),
  ANNOUNCE_MEMBER(7, Kind.INTERNAL, SessionCommand.AnnounceMember::read),
  SERVE_TERM(8, Kind.INTERNAL, SessionCommand.ServeTerm::read),
  SKIP_AHEAD(9, Kind.INTERNAL, SessionCommand.SkipAhead::read),

  BEGIN(10, Kind.CHANGE, TransactionCommand.Begin::read),
  BEGIN_MANY(11, Kind.CHANGE, TransactionCommand.BeginMany::read),
  ASSIGN_GXID(12, Kind.CHANGE, ofTransaction(TransactionCommand.AssignGxid::new)),
  END(13, Kind.CHANGE, TransactionCommand.End::read),
  END_MANY(14, Kind.CHANGE, TransactionCommand.EndMany::read),
  START_PREPARE(15, Kind.CHANGE, TransactionCommand.StartPrepare::read),
  PREPARE(16, Kind.CHANGE, ofTransaction(TransactionCommand.Prepare::new)),
  COMMIT_PREPARED(17, Kind.CHANGE, TransactionCommand.CommitPrepared::read),
  BEGIN_FOR_PREPARED(18, Kind.CHANGE, TransactionCommand.BeginForPrepared::read),
  ADVANCE_OLDEST_GXID(19, Kind.CHANGE, TransactionCommand.AdvanceOldestGxid::read),
  GET_NEXT_GXID(20, Kind.QUERY, in -> new TransactionCommand.GetNextGxid()),
  GET_STATUS(21, Kind.QUERY, ofTransaction(TransactionCommand.GetStatus::new)),
  LIST_TRANSACTIONS(22, Kind.LIST, in -> new TransactionCommand.ListTransactions()),
  LIST_PREPARED(23, Kind.LIST, in -> new TransactionCommand.ListPrepared()),
  START_GXIDS(24, Kind.INTERNAL, TransactionCommand.StartGxids::read),

  GET_SNAPSHOT(30, Kind.CHANGE, ofTransaction(SnapshotCommand.GetSnapshot::new)),
  GET_SNAPSHOT_MANY(31, Kind.CHANGE, SnapshotCommand.GetSnapshotMany::read),
  ASSIGN_GXID_AND_GET_SNAPSHOT(
      32, Kind.CHANGE, ofTransaction(SnapshotCommand.AssignGxidAndGetSnapshot::new)),

  INIT_SEQUENCE(40, Kind.CHANGE, SequenceCommand.Init::read),
  NEXT_VALUE(41, Kind.CHANGE, ofKey(SequenceCommand.NextValue::new)),
  LAST_VALUE(42, Kind.QUERY, ofKey(SequenceCommand.LastValue::new)),
  SET_VALUE(43, Kind.CHANGE, SequenceCommand.SetValue::read),
  RESET_SEQUENCE(44, Kind.CHANGE, ofKey(SequenceCommand.Reset::new)),
  CLOSE_SEQUENCE(45, Kind.CHANGE, ofKey(SequenceCommand.Close::new)),
  CLOSE_SEQUENCES_OF_DATABASE(46, Kind.CHANGE, ofKey(SequenceCommand.CloseDatabase::new)),
  RENAME_SEQUENCE(47, Kind.CHANGE, SequenceCommand.Rename::read),
  ALTER_SEQUENCE(48, Kind.CHANGE, SequenceCommand.Alter::read),
  LIST_SEQUENCES(49, Kind.LIST, in -> new SequenceCommand.ListAll()),
  RESTORE_SEQUENCE(50, Kind.INTERNAL, SequenceCommand.Restore::read),

  REGISTER_NODE(60, Kind.CHANGE, NodeCommand.Register::read),
  UNREGISTER_NODE(61, Kind.CHANGE, NodeCommand.Unregister::read),
  LIST_NODES(62, Kind.LIST, in -> new NodeCommand.ListAll()),

  BARRIER(70, Kind.CHANGE, BackupCommand.Barrier::read),
  BEGIN_BACKUP(71, Kind.QUERY, BackupCommand.BeginBackup::read),
  END_BACKUP(72, Kind.QUERY, BackupCommand.EndBackup::read),
  LIST_BARRIERS(73, Kind.LIST, in -> new BackupCommand.ListBarriers());

  private static final CommandType[] BY_CODE = new CommandType[128];

  static {
    for (CommandType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  /** Who sends a command, and what it does. */
  private enum Kind {
    /** Changes the state, and is the GTM's own: no client or gateway may send it. */
    INTERNAL,
    /** Changes the state. */
    CHANGE,
    /** Only asks, and never stands in the log. */
    QUERY,
    /** Asks for something that the state has any number of. */
    LIST
  }

  /** Reads the fields that {@link Command#write} wrote. */
  private interface Reader {
    Command read(ByteBuffer in);
  }

  private static Reader ofTransaction(Function<TransactionRef, Command> of) {
    return in -> of.apply(TransactionRef.read(in));
  }

  private static Reader ofKey(Function<String, Command> of) {
    return in -> of.apply(FieldReader.getString(in));
  }

  private final byte code;
  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // A function without state.
  private final Reader reader;

  CommandType(int code, Kind kind, Reader reader) {
    this.code = (byte) code;
    this.kind = kind;
    this.reader = reader;
  }

  /** Whether it is the GTM's own, and no client or gateway may send it. */
  public boolean internal() {
    return kind == Kind.INTERNAL;
  }

  /** Whether it only asks, and never stands in the log. */
  public boolean query() {
    return kind == Kind.QUERY || lists();
  }

  /** Whether its answer is a list, as long as the state has it. */
  public boolean lists() {
    return kind == Kind.LIST;
  }

  /** Reads the fields of such a command. */
  Command read(ByteBuffer in) {
    return reader.read(in);
  }

  public byte code() {
    return code;
  }

  /** The type of a log code, or null when this version has none. */
  public static CommandType ofCode(byte code) {
    return code >= 0 ? BY_CODE[code] : null;
  }
}
