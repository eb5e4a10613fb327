package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Commands that begin, end or ask about transactions. */
public sealed interface TransactionCommand extends Command {

  /** What a begin wants. */
  enum BeginKind {
    /** A handle; the gxid comes later, if at all. */
    HANDLE(0),
    /** A gxid at once. */
    GXID(1),
    /** A gxid for a vacuum, which no snapshot takes into account. */
    AUTOVACUUM(2);

    private final int code;

    BeginKind(int code) {
      this.code = code;
    }

    /** The value in the log. */
    public int code() {
      return code;
    }

    /** The kind of a log value, or null when there is none. */
    public static BeginKind ofCode(int code) {
      return switch (code) {
        case 0 -> HANDLE;
        case 1 -> GXID;
        case 2 -> AUTOVACUUM;
        default -> null;
      };
    }
  }

  /** Begins one transaction. */
  record Begin(long session, short backend, Isolation isolation, boolean readOnly, BeginKind kind)
      implements TransactionCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.BEGIN;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session).putShort(backend);
      putMode(out, isolation, readOnly);
      out.put((byte) kind.code());
    }

    static Begin read(ByteBuffer in) {
      long session = in.getLong();
      short backend = in.getShort();
      byte mode = in.get();
      BeginKind kind = FieldReader.known(BeginKind.ofCode(in.get()), "begin kind");
      return new Begin(session, backend, isolationOf(mode), isReadOnly(mode), kind);
    }
  }

  /** One of the transactions that {@link BeginMany} begins. */
  record BeginItem(short backend, Isolation isolation, boolean readOnly) {}

  /** Begins several transactions with consecutive gxids, grouped by a proxy. */
  record BeginMany(long session, List<BeginItem> items) implements TransactionCommand, OfSession {
    public BeginMany {
      items = List.copyOf(items);
    }

    @Override
    public CommandType type() {
      return CommandType.BEGIN_MANY;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session).putInt(items.size());
      for (BeginItem item : items) {
        out.putShort(item.backend());
        putMode(out, item.isolation(), item.readOnly());
      }
    }

    static BeginMany read(ByteBuffer in) {
      long session = in.getLong();
      int count = FieldReader.getCount(in, Short.BYTES + 1);
      List<BeginItem> items = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        short backend = in.getShort();
        byte mode = in.get();
        items.add(new BeginItem(backend, isolationOf(mode), isReadOnly(mode)));
      }
      return new BeginMany(session, items);
    }
  }

  /** Gives a transaction that was begun without a gxid one; a second call gives the same. */
  record AssignGxid(TransactionRef transaction)
      implements TransactionCommand, Command.OfTransaction {
    @Override
    public CommandType type() {
      return CommandType.ASSIGN_GXID;
    }
  }

  /** Ends one transaction. */
  record End(TransactionRef transaction, Outcome outcome) implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.END;
    }

    @Override
    public void write(ByteBuffer out) {
      transaction.write(out);
      out.put((byte) outcome.code());
    }

    static End read(ByteBuffer in) {
      return new End(TransactionRef.read(in), readOutcome(in));
    }
  }

  /** Ends several transactions, grouped by a proxy. */
  record EndMany(List<TransactionRef> transactions, Outcome outcome) implements TransactionCommand {
    public EndMany {
      transactions = List.copyOf(transactions);
    }

    @Override
    public CommandType type() {
      return CommandType.END_MANY;
    }

    @Override
    public void write(ByteBuffer out) {
      TransactionRef.writeAll(transactions, out);
      out.put((byte) outcome.code());
    }

    static EndMany read(ByteBuffer in) {
      return new EndMany(TransactionRef.readAll(in), readOutcome(in));
    }
  }

  /** The first half of PREPARE TRANSACTION: from here on the transaction outlives its session. */
  record StartPrepare(TransactionRef transaction, String gid, String nodes)
      implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.START_PREPARE;
    }

    @Override
    public void write(ByteBuffer out) {
      transaction.write(out);
      FieldWriter.putString(out, gid);
      FieldWriter.putString(out, nodes);
    }

    static StartPrepare read(ByteBuffer in) {
      return new StartPrepare(
          TransactionRef.read(in), FieldReader.getString(in), FieldReader.getString(in));
    }
  }

  /** The second half of PREPARE TRANSACTION: every node has prepared it. */
  record Prepare(TransactionRef transaction) implements TransactionCommand, Command.OfTransaction {
    @Override
    public CommandType type() {
      return CommandType.PREPARE;
    }
  }

  /** Ends a prepared transaction together with the one that ran COMMIT PREPARED. */
  record CommitPrepared(TransactionRef prepared, TransactionRef committing)
      implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.COMMIT_PREPARED;
    }

    @Override
    public void write(ByteBuffer out) {
      prepared.write(out);
      committing.write(out);
    }

    static CommitPrepared read(ByteBuffer in) {
      return new CommitPrepared(TransactionRef.read(in), TransactionRef.read(in));
    }
  }

  /**
   * Begins the transaction that will end the prepared one of this GID, and tells about the latter.
   */
  record BeginForPrepared(
      long session, short backend, Isolation isolation, boolean readOnly, String gid)
      implements TransactionCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.BEGIN_FOR_PREPARED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session).putShort(backend);
      putMode(out, isolation, readOnly);
      FieldWriter.putString(out, gid);
    }

    static BeginForPrepared read(ByteBuffer in) {
      long session = in.getLong();
      short backend = in.getShort();
      byte mode = in.get();
      return new BeginForPrepared(
          session, backend, isolationOf(mode), isReadOnly(mode), FieldReader.getString(in));
    }
  }

  /**
   * An operator says that no table holds a transaction id before this one any more, which moves the
   * wraparound limits ahead.
   *
   * @param gxid the low 32 bits
   */
  record AdvanceOldestGxid(int gxid) implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.ADVANCE_OLDEST_GXID;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(gxid);
    }

    static AdvanceOldestGxid read(ByteBuffer in) {
      return new AdvanceOldestGxid(in.getInt());
    }
  }

  /**
   * The first gxids of a new group: no transaction comes before it. An import ends with it, so that
   * a state that has none was never finished.
   *
   * @param next the first gxid to be given, all 64 bits
   * @param oldest the oldest that a table may hold, the origin of the wraparound limits
   */
  record StartGxids(long next, long oldest) implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.START_GXIDS;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(next).putLong(oldest);
    }

    static StartGxids read(ByteBuffer in) {
      return new StartGxids(in.getLong(), in.getLong());
    }
  }

  /** Asks which gxid will be given next. */
  record GetNextGxid() implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.GET_NEXT_GXID;
    }

    @Override
    public void write(ByteBuffer out) {}
  }

  /** Asks for the state of one transaction. */
  record GetStatus(TransactionRef transaction)
      implements TransactionCommand, Command.OfTransaction {
    @Override
    public CommandType type() {
      return CommandType.GET_STATUS;
    }
  }

  /** Asks for every open transaction and the counters. */
  record ListTransactions() implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_TRANSACTIONS;
    }

    @Override
    public void write(ByteBuffer out) {}
  }

  /** Asks for every prepared transaction. */
  record ListPrepared() implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_PREPARED;
    }

    @Override
    public void write(ByteBuffer out) {}
  }

  private static void putMode(ByteBuffer out, Isolation isolation, boolean readOnly) {
    out.put((byte) (isolation.code() | (readOnly ? 0x80 : 0)));
  }

  private static Isolation isolationOf(byte mode) {
    return FieldReader.known(Isolation.ofCode(mode & 0x7f), "isolation level");
  }

  private static boolean isReadOnly(byte mode) {
    return (mode & 0x80) != 0;
  }

  private static Outcome readOutcome(ByteBuffer in) {
    return FieldReader.known(Outcome.ofCode(in.get()), "outcome");
  }
}
