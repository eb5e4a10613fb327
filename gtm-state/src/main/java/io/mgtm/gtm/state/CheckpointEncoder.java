package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import io.mgtm.gtm.command.FieldWriter;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.ReplyCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes a whole state: {@code version:u16}, then counters, open transactions, sequences, nodes,
 * sessions and barriers, each list with its length before it; since version 2 the time of the
 * newest change, the sessions of gateways with their replies, the members' addresses, and which
 * backup was or is being restored; since version 3 which leader of mode lazy served last, see
 * {@link ServedTerm}; big-endian. The file around it carries the checksum.
 */
public final class CheckpointEncoder {
  /** The version that this program writes. */
  static final short VERSION = 3;

  private static final int FIXED_BYTES = 128;

  private final CheckpointBuffer out;

  private CheckpointEncoder(CheckpointBuffer out) {
    this.out = out;
  }

  /** The encoding of a state, whole. */
  public static byte[] encode(GtmState state) {
    List<byte[]> parts = new ArrayList<>();
    write(
        state,
        piece -> {
          byte[] part = new byte[piece.remaining()];
          piece.get(part);
          parts.add(part);
        });
    byte[] whole = new byte[parts.stream().mapToInt(part -> part.length).sum()];
    ByteBuffer to = ByteBuffer.wrap(whole);
    parts.forEach(to::put);
    return whole;
  }

  /**
   * Writes the encoding of a state that nobody changes meanwhile, such as {@link GtmState#picture},
   * piece by piece. Any thread.
   *
   * @param pieces gets them in order; each is valid during the call only
   */
  public static void write(GtmState state, Consumer<ByteBuffer> pieces) {
    CheckpointEncoder encoder = new CheckpointEncoder(new CheckpointBuffer(pieces));
    encoder.out.reserve(FIXED_BYTES).putShort(VERSION);
    Tables tables = state.tables();
    encoder.putTransactions(tables.gxids(), tables.transactions());
    encoder.putSequences(tables.sequences());
    encoder.putNodes(tables.nodes());
    encoder.putSessions(tables.sessions());
    encoder.putBarriers(tables.barriers());
    encoder.out.reserve(FIXED_BYTES).putLong(state.changedMicros());
    encoder.putGateways(tables.sessions());
    encoder.putMembers(tables.members());
    encoder.out.reserve(FIXED_BYTES).putInt(state.restoredFrom());
    encoder.putRestoring(state.restoring());
    encoder.putServed(tables.served());
    encoder.out.flush();
  }

  private void putTransactions(GxidAllocator gxids, TransactionTable table) {
    ByteBuffer head = out.reserve(FIXED_BYTES);
    head.putLong(gxids.next()).putLong(gxids.oldest());
    putReservation(head, gxids.reservation());
    head.putLong(table.latestCompleted()).putLong(table.recentGlobalXmin());
    head.putInt(table.lastHandle()).putInt(table.count());
    table.forEach(this::putTransaction);
  }

  private void putTransaction(Transaction t) {
    ByteBuffer to =
        out.reserve(FIXED_BYTES + FieldWriter.sizeOf(t.gid) + FieldWriter.sizeOf(t.nodes));
    to.putInt(t.handle).putLong(t.session).putShort(t.backend);
    to.put((byte) t.isolation.code());
    FieldWriter.putBoolean(to, t.readOnly);
    FieldWriter.putBoolean(to, t.vacuum);
    FieldWriter.putBoolean(to, t.handleGiven);
    to.putLong(t.gxid).putLong(t.xmin).put((byte) t.state.code());
    FieldWriter.putString(to, t.gid);
    FieldWriter.putString(to, t.nodes);
  }

  private void putSequences(SequenceDatabases table) {
    out.reserve(FIXED_BYTES).putInt(table.count());
    table.forEach(this::putSequence);
  }

  private void putSequence(Sequence s) {
    ByteBuffer to = out.reserve(FIXED_BYTES + FieldWriter.sizeOf(s.key));
    FieldWriter.putString(to, s.key);
    to.putLong(s.value).putLong(s.init).putLong(s.last);
    to.putLong(s.increment).putLong(s.min).putLong(s.max);
    FieldWriter.putBoolean(to, s.cycle);
    FieldWriter.putBoolean(to, s.called);
    to.putLong(s.step());
    putReservation(to, s.reservation());
  }

  private void putNodes(NodeRegistry registry) {
    out.reserve(FIXED_BYTES).putInt(registry.count());
    for (NodeRegistry.Node node : registry.all()) {
      NodeAddress a = node.address();
      ByteBuffer to =
          out.reserve(
              FIXED_BYTES
                  + FieldWriter.sizeOf(a.name())
                  + FieldWriter.sizeOf(a.proxyName())
                  + FieldWriter.sizeOf(a.host())
                  + FieldWriter.sizeOf(a.dataFolder()));
      a.write(to);
      to.putLong(node.session());
    }
  }

  private void putSessions(SessionTable table) {
    out.reserve(FIXED_BYTES).putInt(table.all().size());
    for (SessionTable.Session session : table.all()) {
      ByteBuffer to = out.reserve(FIXED_BYTES + FieldWriter.sizeOf(session.nodeName()));
      to.putLong(session.id());
      FieldWriter.putString(to, session.nodeName());
      to.put((byte) session.nodeType().code());
      FieldWriter.putBoolean(to, session.postmaster());
    }
  }

  private void putBarriers(BarrierLog log) {
    List<BarrierInfo> barriers = log.list();
    out.reserve(FIXED_BYTES).putInt(barriers.size());
    for (BarrierInfo barrier : barriers) {
      ByteBuffer to = out.reserve(FIXED_BYTES + FieldWriter.sizeOf(barrier.id()));
      FieldWriter.putString(to, barrier.id());
      to.putLong(barrier.nextGxid()).putLong(barrier.timeMicros());
    }
  }

  private void putGateways(SessionTable table) {
    List<GatewaySession> gateways = table.gateways();
    out.reserve(FIXED_BYTES).putInt(gateways.size());
    for (GatewaySession session : gateways) {
      ByteBuffer to = out.reserve(FIXED_BYTES + FieldWriter.sizeOf(session.gateway()));
      to.putLong(session.id());
      FieldWriter.putString(to, session.gateway());
      to.put((byte) session.kind().code());
      FieldWriter.putBoolean(to, session.proxied());
      to.putLong(session.last()).putInt(session.replies().size());
      session.replies().forEach(this::putReply);
    }
  }

  private void putReply(long number, Reply reply) {
    ByteBuffer to = out.reserve(FIXED_BYTES + ReplyCodec.sizeMax(reply));
    to.putLong(number);
    ReplyCodec.encode(reply, to);
  }

  private void putMembers(MemberTable table) {
    out.reserve(FIXED_BYTES).putInt(table.addresses().size());
    table
        .addresses()
        .forEach(
            (member, address) -> {
              ByteBuffer to =
                  out.reserve(
                      FIXED_BYTES + FieldWriter.sizeOf(member) + FieldWriter.sizeOf(address));
              FieldWriter.putString(to, member);
              FieldWriter.putString(to, address);
            });
  }

  private void putRestoring(Restoring restoring) {
    out.reserve(FIXED_BYTES).putInt(restoring.bytes());
    restoring.pieces().forEach(piece -> out.reserve(piece.length).put(piece));
  }

  private void putServed(ServedTerm served) {
    ByteBuffer to = out.reserve(FIXED_BYTES + FieldWriter.sizeOf(served.member()));
    to.putLong(served.term());
    FieldWriter.putString(to, served.member());
    to.putLong(served.entries());
    FieldWriter.putBoolean(to, served.recovering());
  }

  private static void putReservation(ByteBuffer to, Reservation r) {
    to.putLong(r.used()).putLong(r.covered()).putLong(r.reserved());
  }
}
