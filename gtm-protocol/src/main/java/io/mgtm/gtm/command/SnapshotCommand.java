package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/** Commands that take a global snapshot. */
public sealed interface SnapshotCommand extends Command {

  /** A snapshot for one transaction. */
  record GetSnapshot(TransactionRef transaction) implements SnapshotCommand, Command.OfTransaction {
    @Override
    public CommandType type() {
      return CommandType.GET_SNAPSHOT;
    }
  }

  /** One snapshot for several transactions, grouped by a proxy. */
  record GetSnapshotMany(List<TransactionRef> transactions) implements SnapshotCommand {
    public GetSnapshotMany {
      transactions = List.copyOf(transactions);
    }

    @Override
    public CommandType type() {
      return CommandType.GET_SNAPSHOT_MANY;
    }

    @Override
    public void write(ByteBuffer out) {
      TransactionRef.writeAll(transactions, out);
    }

    static GetSnapshotMany read(ByteBuffer in) {
      return new GetSnapshotMany(TransactionRef.readAll(in));
    }
  }

  /** A gxid for a transaction that was begun without one, and a snapshot. */
  record AssignGxidAndGetSnapshot(TransactionRef transaction)
      implements SnapshotCommand, Command.OfTransaction {
    @Override
    public CommandType type() {
      return CommandType.ASSIGN_GXID_AND_GET_SNAPSHOT;
    }
  }
}
