package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import io.mgtm.gtm.command.CommandDecoder;
import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.TransactionState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@link CheckpointEncoder} wrote. */
public final class CheckpointDecoder {
  private CheckpointDecoder() {}

  /** The checkpoint was written by a version that this one does not know. */
  public static final class UnknownVersionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownVersionException(short version) {
      super(
          "the checkpoint has format version "
              + version
              + ", this program knows up to "
              + CheckpointEncoder.VERSION);
    }
  }

  /**
   * The state that {@code in} holds.
   *
   * @throws UnknownVersionException when it is of a newer version
   * @throws java.nio.BufferUnderflowException when the bytes end early
   */
  public static GtmState decode(ByteBuffer in) {
    short version = in.getShort();
    if (version != CheckpointEncoder.VERSION) {
      throw new UnknownVersionException(version);
    }
    TransactionRules transactions = transactions(in);
    SequenceTable sequences = sequences(in);
    NodeRegistry nodes = nodes(in);
    SessionTable sessions = sessions(in);
    return new GtmState(transactions, sequences, nodes, sessions, barriers(in));
  }

  private static TransactionRules transactions(ByteBuffer in) {
    long next = in.getLong();
    long oldest = in.getLong();
    GxidAllocator gxids = new GxidAllocator(next, oldest, reservation(in));
    TransactionTable table = new TransactionTable(0);
    long latestCompleted = in.getLong();
    long recentGlobalXmin = in.getLong();
    int lastHandle = in.getInt();
    int count = in.getInt();
    List<Transaction> open = new ArrayList<>(Math.min(count, in.remaining()));
    for (int i = 0; i < count; i++) {
      open.add(transaction(in));
    }
    table.restore(open);
    table.setLatestCompleted(latestCompleted);
    table.setLastHandle(lastHandle);
    return new TransactionRules(gxids, table, recentGlobalXmin);
  }

  private static Transaction transaction(ByteBuffer in) {
    Transaction t =
        new Transaction(
            in.getInt(),
            in.getLong(),
            in.getShort(),
            Isolation.ofCode(in.get()),
            FieldReader.getBoolean(in),
            FieldReader.getBoolean(in));
    t.gxid = in.getLong();
    t.xmin = in.getLong();
    t.state = TransactionState.ofCode(in.get());
    t.gid = FieldReader.getString(in);
    t.nodes = FieldReader.getString(in);
    return t;
  }

  private static SequenceTable sequences(ByteBuffer in) {
    SequenceTable table = new SequenceTable();
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      Sequence s = new Sequence(FieldReader.getString(in));
      s.value = in.getLong();
      s.init = in.getLong();
      s.last = in.getLong();
      s.increment = in.getLong();
      s.min = in.getLong();
      s.max = in.getLong();
      s.cycle = FieldReader.getBoolean(in);
      s.called = FieldReader.getBoolean(in);
      long step = in.getLong();
      s.restoreReservation(reservation(in), step);
      table.put(s);
    }
    return table;
  }

  private static NodeRegistry nodes(ByteBuffer in) {
    NodeRegistry registry = new NodeRegistry();
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      NodeAddress address = CommandDecoder.node(in);
      registry.put(new NodeRegistry.Node(address, in.getLong()));
    }
    return registry;
  }

  private static SessionTable sessions(ByteBuffer in) {
    SessionTable table = new SessionTable();
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      table.open(
          new SessionTable.Session(
              in.getLong(),
              FieldReader.getString(in),
              NodeType.ofCode(in.get()),
              FieldReader.getBoolean(in)));
    }
    return table;
  }

  private static BarrierLog barriers(ByteBuffer in) {
    BarrierLog log = new BarrierLog();
    int count = in.getInt();
    for (int i = 0; i < count; i++) {
      log.add(new BarrierInfo(FieldReader.getString(in), in.getLong(), in.getLong()));
    }
    return log;
  }

  private static Reservation reservation(ByteBuffer in) {
    return Reservation.restored(in.getLong(), in.getLong(), in.getLong());
  }
}
