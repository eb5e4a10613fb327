package io.mgtm.gtm.command;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@link CommandEncoder} wrote. */
public final class CommandDecoder {
  private CommandDecoder() {}

  /** The bytes are no command that this version knows. */
  public static final class UnknownCommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownCommandException(String message) {
      super(message);
    }
  }

  /**
   * Reads one command.
   *
   * @throws UnknownCommandException when its code or a field's value is of a newer version
   * @throws BufferUnderflowException when the bytes end within it
   */
  public static Command decode(ByteBuffer in) {
    byte code = in.get();
    CommandType type = CommandType.ofCode(code);
    if (type == null) {
      throw new UnknownCommandException("unknown command code " + code);
    }
    return switch (type) {
      case RESTART,
          OPEN_SESSION,
          CLOSE_SESSION,
          DISCONNECT_BACKEND,
          NUMBERED,
          OPEN_FRONT,
          ANNOUNCE_MEMBER,
          SERVE_TERM,
          SKIP_AHEAD ->
          session(type, in);
      case BEGIN,
          BEGIN_MANY,
          ASSIGN_GXID,
          END,
          END_MANY,
          START_PREPARE,
          PREPARE,
          COMMIT_PREPARED,
          BEGIN_FOR_PREPARED,
          ADVANCE_OLDEST_GXID,
          START_GXIDS ->
          transaction(type, in);
      case GET_SNAPSHOT -> new SnapshotCommand.GetSnapshot(ref(in));
      case GET_SNAPSHOT_MANY -> new SnapshotCommand.GetSnapshotMany(refs(in));
      case ASSIGN_GXID_AND_GET_SNAPSHOT -> new SnapshotCommand.AssignGxidAndGetSnapshot(ref(in));
      case INIT_SEQUENCE,
          NEXT_VALUE,
          SET_VALUE,
          RESET_SEQUENCE,
          CLOSE_SEQUENCE,
          CLOSE_SEQUENCES_OF_DATABASE,
          RENAME_SEQUENCE,
          ALTER_SEQUENCE,
          RESTORE_SEQUENCE ->
          sequence(type, in);
      case REGISTER_NODE -> new NodeCommand.Register(in.getLong(), node(in));
      case UNREGISTER_NODE -> new NodeCommand.Unregister(nodeType(in), FieldReader.getString(in));
      case BARRIER -> new BackupCommand.Barrier(FieldReader.getString(in));
      case GET_NEXT_GXID,
          GET_STATUS,
          LIST_TRANSACTIONS,
          LIST_PREPARED,
          LAST_VALUE,
          LIST_SEQUENCES,
          LIST_NODES,
          BEGIN_BACKUP,
          END_BACKUP,
          LIST_BARRIERS ->
          throw new UnknownCommandException(type + " is a query: no log holds it");
    };
  }

  private static SessionCommand session(CommandType type, ByteBuffer in) {
    return switch (type) {
      case RESTART -> new SessionCommand.Restart(FieldReader.getBoolean(in));
      case OPEN_SESSION ->
          new SessionCommand.OpenSession(
              in.getLong(), FieldReader.getString(in), nodeType(in), FieldReader.getBoolean(in));
      case CLOSE_SESSION -> new SessionCommand.CloseSession(in.getLong());
      case NUMBERED -> numbered(in);
      case OPEN_FRONT ->
          new SessionCommand.OpenGateway(
              in.getLong(),
              FieldReader.getString(in),
              known(GatewayKind.ofCode(in.get()), "gateway kind"),
              FieldReader.getBoolean(in));
      case ANNOUNCE_MEMBER ->
          new SessionCommand.AnnounceMember(FieldReader.getString(in), FieldReader.getString(in));
      case SERVE_TERM -> new SessionCommand.ServeTerm(in.getLong(), FieldReader.getString(in));
      case SKIP_AHEAD -> new SessionCommand.SkipAhead(notNegative(in.getLong()));
      default -> {
        long session = in.getLong();
        short backend = in.getShort();
        boolean postmaster = FieldReader.getBoolean(in);
        yield postmaster
            ? new SessionCommand.DisconnectBackend(
                session, backend, true, nodeType(in), FieldReader.getString(in))
            : new SessionCommand.DisconnectBackend(session, backend, false, null, "");
      }
    };
  }

  private static long notNegative(long count) {
    if (count < 0) {
      throw new UnknownCommandException("a count of " + count);
    }
    return count;
  }

  private static SessionCommand numbered(ByteBuffer in) {
    long session = in.getLong();
    long number = in.getLong();
    long acked = in.getLong();
    if (in.hasRemaining() && in.get(in.position()) == CommandType.NUMBERED.code()) {
      throw new UnknownCommandException("a numbered command within another");
    }
    return new SessionCommand.Numbered(session, number, acked, decode(in));
  }

  private static TransactionCommand transaction(CommandType type, ByteBuffer in) {
    return switch (type) {
      case BEGIN -> {
        long session = in.getLong();
        short backend = in.getShort();
        byte mode = in.get();
        yield new TransactionCommand.Begin(
            session,
            backend,
            isolation(mode),
            readOnly(mode),
            known(TransactionCommand.BeginKind.ofCode(in.get()), "begin kind"));
      }
      case BEGIN_MANY -> beginMany(in);
      case ASSIGN_GXID -> new TransactionCommand.AssignGxid(ref(in));
      case END -> new TransactionCommand.End(ref(in), outcome(in));
      case END_MANY -> new TransactionCommand.EndMany(refs(in), outcome(in));
      case START_PREPARE ->
          new TransactionCommand.StartPrepare(
              ref(in), FieldReader.getString(in), FieldReader.getString(in));
      case PREPARE -> new TransactionCommand.Prepare(ref(in));
      case COMMIT_PREPARED -> new TransactionCommand.CommitPrepared(ref(in), ref(in));
      case ADVANCE_OLDEST_GXID -> new TransactionCommand.AdvanceOldestGxid(in.getInt());
      case START_GXIDS -> new TransactionCommand.StartGxids(in.getLong(), in.getLong());
      default -> {
        long session = in.getLong();
        short backend = in.getShort();
        byte mode = in.get();
        yield new TransactionCommand.BeginForPrepared(
            session, backend, isolation(mode), readOnly(mode), FieldReader.getString(in));
      }
    };
  }

  private static TransactionCommand beginMany(ByteBuffer in) {
    long session = in.getLong();
    int count = count(in, Short.BYTES + 1);
    List<TransactionCommand.BeginItem> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      short backend = in.getShort();
      byte mode = in.get();
      items.add(new TransactionCommand.BeginItem(backend, isolation(mode), readOnly(mode)));
    }
    return new TransactionCommand.BeginMany(session, items);
  }

  private static SequenceCommand sequence(CommandType type, ByteBuffer in) {
    String key = FieldReader.getString(in);
    return switch (type) {
      case NEXT_VALUE -> new SequenceCommand.NextValue(key);
      case INIT_SEQUENCE ->
          new SequenceCommand.Init(
              key,
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              FieldReader.getBoolean(in));
      case SET_VALUE -> new SequenceCommand.SetValue(key, in.getLong(), FieldReader.getBoolean(in));
      case RESET_SEQUENCE -> new SequenceCommand.Reset(key);
      case CLOSE_SEQUENCE -> new SequenceCommand.Close(key);
      case CLOSE_SEQUENCES_OF_DATABASE -> new SequenceCommand.CloseDatabase(key);
      case RENAME_SEQUENCE -> new SequenceCommand.Rename(key, FieldReader.getString(in));
      case RESTORE_SEQUENCE ->
          new SequenceCommand.Restore(
              key,
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              FieldReader.getBoolean(in),
              FieldReader.getBoolean(in));
      default ->
          new SequenceCommand.Alter(
              key,
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              in.getLong(),
              FieldReader.getBoolean(in),
              FieldReader.getBoolean(in));
    };
  }

  /** Reads what {@link CommandEncoder#putNode} wrote. */
  public static NodeCommand.NodeAddress node(ByteBuffer in) {
    return new NodeCommand.NodeAddress(
        nodeType(in),
        FieldReader.getString(in),
        FieldReader.getString(in),
        FieldReader.getString(in),
        in.getInt(),
        FieldReader.getString(in));
  }

  private static NodeType nodeType(ByteBuffer in) {
    return known(NodeType.ofCode(in.get()), "node type");
  }

  private static <T> T known(T value, String what) {
    if (value == null) {
      throw new UnknownCommandException("unknown " + what);
    }
    return value;
  }

  private static Outcome outcome(ByteBuffer in) {
    return known(Outcome.ofCode(in.get()), "outcome");
  }

  private static Isolation isolation(byte mode) {
    return known(Isolation.ofCode(mode & 0x7f), "isolation level");
  }

  private static boolean readOnly(byte mode) {
    return (mode & 0x80) != 0;
  }

  private static TransactionRef ref(ByteBuffer in) {
    return new TransactionRef(FieldReader.getBoolean(in), in.getInt());
  }

  private static List<TransactionRef> refs(ByteBuffer in) {
    int count = count(in, 1 + Integer.BYTES);
    List<TransactionRef> refs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      refs.add(ref(in));
    }
    return refs;
  }

  private static int count(ByteBuffer in, int itemBytes) {
    int count = in.getInt();
    if (count < 0 || (long) count * itemBytes > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return count;
  }
}
