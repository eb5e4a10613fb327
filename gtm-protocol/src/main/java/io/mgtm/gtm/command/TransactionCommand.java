package io.mgtm.gtm.command;

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
      implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.BEGIN;
    }
  }

  /** One of the transactions that {@link BeginMany} begins. */
  record BeginItem(short backend, Isolation isolation, boolean readOnly) {}

  /** Begins several transactions with consecutive gxids, grouped by a proxy. */
  record BeginMany(long session, List<BeginItem> items) implements TransactionCommand {
    public BeginMany {
      items = List.copyOf(items);
    }

    @Override
    public CommandType type() {
      return CommandType.BEGIN_MANY;
    }
  }

  /** Gives a transaction that was begun without a gxid one; a second call gives the same. */
  record AssignGxid(TransactionRef transaction) implements TransactionCommand {
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
  }

  /** The first half of PREPARE TRANSACTION: from here on the transaction outlives its session. */
  record StartPrepare(TransactionRef transaction, String gid, String nodes)
      implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.START_PREPARE;
    }
  }

  /** The second half of PREPARE TRANSACTION: every node has prepared it. */
  record Prepare(TransactionRef transaction) implements TransactionCommand {
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
  }

  /**
   * Begins the transaction that will end the prepared one of this GID, and tells about the latter.
   */
  record BeginForPrepared(
      long session, short backend, Isolation isolation, boolean readOnly, String gid)
      implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.BEGIN_FOR_PREPARED;
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
  }

  /** Asks which gxid will be given next. */
  record GetNextGxid() implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.GET_NEXT_GXID;
    }
  }

  /** Asks for the state of one transaction. */
  record GetStatus(TransactionRef transaction) implements TransactionCommand {
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
  }

  /** Asks for every prepared transaction. */
  record ListPrepared() implements TransactionCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_PREPARED;
    }
  }
}
