package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import io.mgtm.gtm.command.CommandDecoder;
import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.ReplyCodec;
import io.mgtm.gtm.command.TransactionState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@link CheckpointEncoder} wrote. */
public final class CheckpointDecoder {
  /** The least that a transaction takes, which bounds what a count can make us allocate. */
  private static final int TRANSACTION_BYTES_MIN = 39;

  private static final short OLDEST_VERSION = 1;

  /** From this version on there are sessions of fronts. */
  private static final short FRONTS_VERSION = 2;

  /** From this version on there is what mode lazy keeps. */
  private static final short SERVED_VERSION = 3;

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

  /** The bytes are no state that any version wrote. */
  public static final class CorruptCheckpointException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CorruptCheckpointException(String message) {
      super("the checkpoint is damaged: " + message);
    }

    CorruptCheckpointException(String message, Throwable cause) {
      super("the checkpoint is damaged: " + message, cause);
    }
  }

  /**
   * The state that {@code in} holds, which must be all that it holds.
   *
   * @throws UnknownVersionException when it is of a newer version
   * @throws CorruptCheckpointException when it breaks the format's or the state's rules
   */
  public static GtmState decode(ByteBuffer in) {
    try {
      short version = in.getShort();
      if (version < OLDEST_VERSION || version > CheckpointEncoder.VERSION) {
        throw new UnknownVersionException(version);
      }
      TransactionRules transactions = transactions(in);
      SequenceTable sequences = sequences(in);
      NodeRegistry nodes = nodes(in);
      SessionTable sessions = sessions(in);
      BarrierLog barriers = barriers(in);
      MemberTable members = new MemberTable();
      long changedMicros = 0;
      int restoredFrom = 0;
      byte[] restoring = {};
      if (version >= FRONTS_VERSION) {
        changedMicros = in.getLong();
        fronts(in, sessions);
        members(in, members);
        restoredFrom = in.getInt();
        restoring = new byte[Math.min(count(in, "bytes"), in.remaining() + 1)];
        in.get(restoring);
      }
      GtmState state = new GtmState(transactions, sequences, nodes, sessions, barriers, members);
      state.restoreChangedMicros(changedMicros);
      state.setRestoredFrom(restoredFrom);
      state.setRestoring(restoring);
      if (version >= SERVED_VERSION) {
        state.restoreServed(served(in));
      }
      require(!in.hasRemaining(), in.remaining() + " bytes too many");
      return state;
    } catch (BufferUnderflowException e) {
      throw new CorruptCheckpointException("it ends too early", e);
    } catch (CommandDecoder.UnknownCommandException e) {
      throw new CorruptCheckpointException(e.getMessage(), e);
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new CorruptCheckpointException(otherwise);
    }
  }

  private static <T> T known(T value, String what) {
    require(value != null, "unknown " + what);
    return value;
  }

  private static int count(ByteBuffer in, String of) {
    int count = in.getInt();
    require(count >= 0, "it counts " + count + " " + of);
    return count;
  }

  private static TransactionRules transactions(ByteBuffer in) {
    long next = in.getLong();
    long oldest = in.getLong();
    boolean started = oldest != 0;
    require(
        isGxid(next)
            && (started ? isGxid(oldest) && oldest <= next : next == GxidMath.FIRST_NORMAL),
        "gxids " + oldest + " to " + next);
    Reservation reservation = reservation(in);
    require(
        reservation.used() <= next
            && next <= reservation.reserved()
            && reservation.reserved() - next <= 2 * GxidAllocator.RESERVE_STEP,
        "gxids are reserved up to " + reservation.reserved() + " at " + next);
    GxidAllocator gxids = new GxidAllocator(next, oldest, reservation);
    TransactionTable table = new TransactionTable(0);
    long latestCompleted = in.getLong();
    long recentGlobalXmin = in.getLong();
    long completedMin = started ? GxidMath.previous(GxidMath.FIRST_NORMAL) : 0;
    require(latestCompleted >= completedMin, "latest completed gxid " + latestCompleted);
    require(latestCompleted < next, "latest completed gxid " + latestCompleted);
    int lastHandle = in.getInt();
    int count = count(in, "transactions");
    require((long) count * TRANSACTION_BYTES_MIN <= in.remaining(), "it ends too early");
    List<Transaction> open = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      open.add(transaction(in, oldest, next));
    }
    try {
      table.restore(open);
    } catch (IllegalStateException e) {
      throw new CorruptCheckpointException(e.getMessage(), e);
    }
    table.setLatestCompleted(latestCompleted);
    table.setLastHandle(lastHandle);
    TransactionRules rules = new TransactionRules(gxids, table, recentGlobalXmin);
    long xmin = rules.snapshots().xmin();
    for (Transaction t : open) {
      require(t.vacuum || t.xmin <= xmin, "an xmin " + t.xmin + ", next is " + xmin);
    }
    return rules;
  }

  private static boolean isGxid(long gxid) {
    return gxid > 0 && GxidMath.isNormal(gxid);
  }

  private static Transaction transaction(ByteBuffer in, long oldest, long next) {
    Transaction t =
        new Transaction(
            in.getInt(),
            in.getLong(),
            in.getShort(),
            known(Isolation.ofCode(in.get()), "isolation level"),
            FieldReader.getBoolean(in),
            FieldReader.getBoolean(in));
    t.handleGiven = FieldReader.getBoolean(in);
    t.gxid = in.getLong();
    t.xmin = in.getLong();
    long from = t.vacuum ? GxidMath.FIRST_NORMAL : oldest;
    require(
        t.gxid == 0 ? t.handleGiven : GxidMath.isNormal(t.gxid) && t.gxid >= from && t.gxid < next,
        "an open gxid " + t.gxid);
    require(t.xmin == 0 || (t.xmin >= from && t.xmin <= next), "an xmin " + t.xmin);
    t.state = known(TransactionState.ofCode(in.get()), "transaction state");
    t.gid = FieldReader.getString(in);
    t.nodes = FieldReader.getString(in);
    return t;
  }

  private static SequenceTable sequences(ByteBuffer in) {
    SequenceTable table = new SequenceTable();
    int count = count(in, "sequences");
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
      require(s.increment != 0, "a sequence that does not move");
      require(s.min <= s.max, "a sequence from " + s.min + " to " + s.max);
      long step = in.getLong();
      require(step > 0, "a sequence that reserves " + step + " draws");
      s.restoreReservation(reservation(in), step);
      table.put(s);
    }
    require(table.count() == count, "a sequence stands there twice");
    return table;
  }

  private static NodeRegistry nodes(ByteBuffer in) {
    NodeRegistry registry = new NodeRegistry();
    int count = count(in, "nodes");
    for (int i = 0; i < count; i++) {
      NodeAddress address = CommandDecoder.node(in);
      registry.put(new NodeRegistry.Node(address, in.getLong()));
    }
    require(registry.count() == count, "a node stands there twice");
    return registry;
  }

  private static SessionTable sessions(ByteBuffer in) {
    SessionTable table = new SessionTable();
    int count = count(in, "sessions");
    for (int i = 0; i < count; i++) {
      table.open(
          new SessionTable.Session(
              in.getLong(),
              FieldReader.getString(in),
              known(NodeType.ofCode(in.get()), "node type"),
              FieldReader.getBoolean(in)));
    }
    require(table.count() == count, "a session stands there twice");
    return table;
  }

  private static BarrierLog barriers(ByteBuffer in) {
    BarrierLog log = new BarrierLog();
    int count = count(in, "barriers");
    for (int i = 0; i < count; i++) {
      log.add(new BarrierInfo(FieldReader.getString(in), in.getLong(), in.getLong()));
    }
    return log;
  }

  private static void fronts(ByteBuffer in, SessionTable table) {
    int count = count(in, "sessions of fronts");
    int others = table.count();
    for (int i = 0; i < count; i++) {
      FrontSession session =
          new FrontSession(
              in.getLong(),
              FieldReader.getString(in),
              known(FrontKind.ofCode(in.get()), "front kind"),
              FieldReader.getBoolean(in));
      long last = in.getLong();
      int replies = count(in, "replies");
      long before = 0;
      for (int reply = 0; reply < replies; reply++) {
        long number = in.getLong();
        require(number > before && number <= last, "a reply to command " + number);
        session.replies().put(number, ReplyCodec.decode(in));
        before = number;
      }
      require(last >= 0, "a session at " + last);
      session.restoreLast(last);
      table.open(session);
    }
    require(table.count() == others + count, "a front's session stands there twice");
  }

  private static ServedTerm served(ByteBuffer in) {
    long term = in.getLong();
    String member = FieldReader.getString(in);
    long entries = in.getLong();
    boolean recovering = FieldReader.getBoolean(in);
    require(
        term > 0 ? entries > 0 : term == 0 && entries == 0 && !recovering,
        "a served term " + term + " of " + entries + " entries");
    return new ServedTerm(term, member, entries, recovering);
  }

  private static void members(ByteBuffer in, MemberTable members) {
    int count = count(in, "members");
    for (int i = 0; i < count; i++) {
      String member = FieldReader.getString(in);
      String address = FieldReader.getString(in);
      require(!address.isEmpty(), "a member without address");
      members.announce(member, address);
    }
    require(members.addresses().size() == count, "a member stands there twice");
  }

  private static Reservation reservation(ByteBuffer in) {
    long used = in.getLong();
    long covered = in.getLong();
    long reserved = in.getLong();
    require(
        used >= 0 && used <= covered && covered <= reserved,
        "a reservation of " + used + ", " + covered + ", " + reserved);
    return Reservation.restored(used, covered, reserved);
  }
}
