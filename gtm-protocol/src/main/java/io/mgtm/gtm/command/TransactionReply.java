package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Answers to {@link TransactionCommand}. Gxids are the low 32 bits; times are µs since 2000-01-01.
 */
public sealed interface TransactionReply extends Reply {

  /** A transaction has begun; {@code gxid} is 0 for {@link TransactionCommand.BeginKind#HANDLE}. */
  record Began(TransactionCommand.BeginKind kind, int handle, int gxid, long timestampMicros)
      implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.BEGAN;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) kind.code()).putInt(handle).putInt(gxid).putLong(timestampMicros);
    }

    static Began read(ByteBuffer in) {
      TransactionCommand.BeginKind kind =
          FieldReader.known(TransactionCommand.BeginKind.ofCode(in.get()), "begin kind");
      return new Began(kind, in.getInt(), in.getInt(), in.getLong());
    }
  }

  /** {@code count} transactions have begun, with consecutive gxids. */
  record BeganMany(int count, int firstGxid, long timestampMicros)
      implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.BEGAN_MANY;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(count).putInt(firstGxid).putLong(timestampMicros);
    }

    static BeganMany read(ByteBuffer in) {
      return new BeganMany(in.getInt(), in.getInt(), in.getLong());
    }
  }

  /** The gxid that a transaction has from now on. */
  record GxidAssigned(int handle, int gxid) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.GXID_ASSIGNED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(handle).putInt(gxid);
    }

    static GxidAssigned read(ByteBuffer in) {
      return new GxidAssigned(in.getInt(), in.getInt());
    }
  }

  /**
   * A transaction has ended.
   *
   * @param known false when there was no such transaction
   */
  record Ended(Outcome outcome, int gxid, boolean known) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.ENDED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) outcome.code()).putInt(gxid);
      FieldWriter.putBoolean(out, known);
    }

    static Ended read(ByteBuffer in) {
      return new Ended(outcomeOf(in), in.getInt(), FieldReader.getBoolean(in));
    }
  }

  /** Several have ended; one flag each says whether it was there. */
  record EndedMany(Outcome outcome, Flags known) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.ENDED_MANY;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) outcome.code()).putInt(known.count());
      for (int i = 0; i < known.count(); i++) {
        FieldWriter.putBoolean(out, known.get(i));
      }
    }

    @Override
    public int variableBytes() {
      return known.count();
    }

    static EndedMany read(ByteBuffer in) {
      Outcome outcome = outcomeOf(in);
      boolean[] known = new boolean[FieldReader.getCount(in, 1)];
      for (int i = 0; i < known.length; i++) {
        known[i] = FieldReader.getBoolean(in);
      }
      return new EndedMany(outcome, Flags.of(known));
    }
  }

  /** The transaction outlives its session from now on. */
  record PrepareStarted(int gxid) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.PREPARE_STARTED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(gxid);
    }

    static PrepareStarted read(ByteBuffer in) {
      return new PrepareStarted(in.getInt());
    }
  }

  /** The transaction is prepared. */
  record Prepared(int gxid) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.PREPARED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(gxid);
    }

    static Prepared read(ByteBuffer in) {
      return new Prepared(in.getInt());
    }
  }

  /** A prepared transaction has ended; {@code known} is false when there was none. */
  record PreparedCommitted(int preparedGxid, boolean known) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.PREPARED_COMMITTED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(preparedGxid);
      FieldWriter.putBoolean(out, known);
    }

    static PreparedCommitted read(ByteBuffer in) {
      return new PreparedCommitted(in.getInt(), FieldReader.getBoolean(in));
    }
  }

  /** The transaction that will end a prepared one has begun. */
  record BeganForPrepared(int gxid, int preparedGxid, String nodes)
      implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.BEGAN_FOR_PREPARED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(gxid).putInt(preparedGxid);
      FieldWriter.putString(out, nodes);
    }

    @Override
    public int variableBytes() {
      return FieldWriter.sizeOf(nodes);
    }

    static BeganForPrepared read(ByteBuffer in) {
      return new BeganForPrepared(in.getInt(), in.getInt(), FieldReader.getString(in));
    }
  }

  /** The gxid that the next begin will give. */
  record NextGxid(int gxid) implements TransactionReply {
    @Override
    public ReplyType type() {
      return ReplyType.NEXT_GXID;
    }
  }

  /** The state of one transaction. */
  record Status(int gxid, TransactionState state) implements TransactionReply {
    @Override
    public ReplyType type() {
      return ReplyType.STATUS;
    }
  }

  /** The new origin of the wraparound limits, and the limit at which begins stop. */
  record OldestGxidAdvanced(int oldestGxid, int stopGxid) implements TransactionReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.OLDEST_GXID_ADVANCED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putInt(oldestGxid).putInt(stopGxid);
    }

    static OldestGxidAdvanced read(ByteBuffer in) {
      return new OldestGxidAdvanced(in.getInt(), in.getInt());
    }
  }

  /** One open transaction. */
  record TransactionInfo(
      int handle,
      int gxid,
      TransactionState state,
      long session,
      short backend,
      Isolation isolation,
      boolean readOnly,
      boolean vacuum,
      int xmin,
      String gid,
      String nodes) {}

  /** The counters and every open transaction, oldest first. */
  record TransactionList(
      int nextGxid,
      int oldestGxid,
      int warnGxid,
      int stopGxid,
      int wrapGxid,
      int latestCompletedGxid,
      int recentGlobalXmin,
      int lastHandle,
      List<TransactionInfo> transactions)
      implements TransactionReply {
    @Override
    public ReplyType type() {
      return ReplyType.TRANSACTION_LIST;
    }
  }

  /** Every prepared transaction, oldest first. */
  record PreparedList(List<TransactionInfo> transactions) implements TransactionReply {
    @Override
    public ReplyType type() {
      return ReplyType.PREPARED_LIST;
    }
  }

  private static Outcome outcomeOf(ByteBuffer in) {
    return FieldReader.known(Outcome.ofCode(in.get()), "outcome");
  }
}
