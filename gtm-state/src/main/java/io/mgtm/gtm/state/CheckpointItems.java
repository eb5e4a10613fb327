package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.ReplyCodec;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.state.CheckpointDecoder.CorruptCheckpointException;
import java.nio.ByteBuffer;

/** Reads the items that a checkpoint is made of; see {@link CheckpointEncoder}. */
final class CheckpointItems {
  private CheckpointItems() {}

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new CorruptCheckpointException(otherwise);
    }
  }

  private static <T> T known(T value, String what) {
    require(value != null, "unknown " + what);
    return value;
  }

  static int count(ByteBuffer in, String of) {
    int count = in.getInt();
    require(count >= 0, "it counts " + count + " " + of);
    return count;
  }

  static GxidAllocator gxids(ByteBuffer in) {
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
    return new GxidAllocator(next, oldest, reservation);
  }

  private static boolean isGxid(long gxid) {
    return gxid > 0 && GxidMath.isNormal(gxid);
  }

  static Transaction transaction(ByteBuffer in, GxidAllocator gxids) {
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
    long next = gxids.next();
    long from = t.vacuum ? GxidMath.FIRST_NORMAL : gxids.oldest();
    require(
        t.gxid == 0 ? t.handleGiven : GxidMath.isNormal(t.gxid) && t.gxid >= from && t.gxid < next,
        "an open gxid " + t.gxid);
    require(t.xmin == 0 || (t.xmin >= from && t.xmin <= next), "an xmin " + t.xmin);
    t.state = known(TransactionState.ofCode(in.get()), "transaction state");
    t.gid = FieldReader.getString(in);
    t.nodes = FieldReader.getString(in);
    return t;
  }

  static Sequence sequence(ByteBuffer in) {
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
    return s;
  }

  static NodeRegistry.Node node(ByteBuffer in) {
    NodeAddress address = NodeAddress.read(in);
    return new NodeRegistry.Node(address, in.getLong());
  }

  static SessionTable.Session session(ByteBuffer in) {
    return new SessionTable.Session(
        in.getLong(),
        FieldReader.getString(in),
        known(NodeType.ofCode(in.get()), "node type"),
        FieldReader.getBoolean(in));
  }

  static BarrierInfo barrier(ByteBuffer in) {
    return new BarrierInfo(FieldReader.getString(in), in.getLong(), in.getLong());
  }

  static GatewaySession gateway(ByteBuffer in) {
    GatewaySession session =
        new GatewaySession(
            in.getLong(),
            FieldReader.getString(in),
            known(GatewayKind.ofCode(in.get()), "gateway kind"),
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
    return session;
  }

  static ServedTerm served(ByteBuffer in) {
    long term = in.getLong();
    String member = FieldReader.getString(in);
    long entries = in.getLong();
    boolean recovering = FieldReader.getBoolean(in);
    require(
        term > 0 ? entries > 0 : term == 0 && entries == 0 && !recovering,
        "a served term " + term + " of " + entries + " entries");
    return new ServedTerm(term, member, entries, recovering);
  }

  private static Reservation reservation(ByteBuffer in) {
    long used = in.getLong();
    long covered = in.getLong();
    long reserved = in.getLong();
    require(
        used >= 0 && used <= covered && covered <= reserved,
        "a reservation of " + used + ", " + covered + ", " + reserved);
    return new Reservation(used, covered, reserved, -1);
  }
}
