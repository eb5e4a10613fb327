package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeReply.NodeInfo;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionList;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/**
 * The structures that the original writes as they lie in memory (common/gtm_serialize.c), fields in
 * the host's order. What has no meaning here (locks, thread ids, cached snapshots) is zero.
 */
final class Serialized {
  private static final int GTM_RUNNING = 1;
  private static final int SEQ_STATE_ACTIVE = 1;
  static final int NODE_CONNECTED = 0;
  private static final int NODE_DISCONNECTED = 1;

  /** Fixed parts of gtm_serialize_transactioninfo, an empty snapshot included. */
  private static final int TRANSACTION_BYTES = 62;

  /** Fixed parts of gtm_serialize_transactions. */
  static final int TRANSACTIONS_BYTES = 48;

  static final int SEQUENCE_BYTES = 66;
  static final int NODE_BYTES = 28;

  private Serialized() {}

  /** Length and gtm_serialize_transactions, up to the first transaction. */
  static void putTransactions(FrameWriter out, TransactionList list) {
    int bytes = TRANSACTIONS_BYTES;
    for (TransactionInfo t : list.transactions()) {
      bytes += Long.BYTES + transactionBytes(t);
    }
    out.putInt(bytes);
    // gt_txn_count, which the original never counts.
    out.putHostInt(0).putHostInt(GTM_RUNNING);
    out.putHostInt(list.nextGxid()).putHostInt(list.oldestGxid());
    // gt_xidVacLimit, left to the nodes' own autovacuum.
    out.putHostInt(0).putHostInt(list.warnGxid());
    out.putHostInt(list.stopGxid()).putHostInt(list.wrapGxid());
    out.putHostInt(list.latestCompletedGxid()).putHostInt(list.recentGlobalXmin());
    out.putHostInt(list.lastHandle()).putHostInt(list.transactions().size());
  }

  static int transactionBytes(TransactionInfo t) {
    return TRANSACTION_BYTES + t.nodes().length() + t.gid().length();
  }

  /** Length and gtm_serialize_transactioninfo. */
  static void putTransaction(FrameWriter out, TransactionInfo t) {
    out.putHostLong(transactionBytes(t));
    out.putHostInt(t.handle()).putHostLong(t.session()).putBoolean(true);
    out.putHostInt(t.gxid()).putHostInt(t.state().code());
    // gti_coordname, which the original leaves empty.
    out.putHostInt(0);
    out.putHostInt(t.xmin()).putHostInt(t.isolation().code()).putBoolean(t.readOnly());
    out.putHostShort(t.backend());
    out.putHostString(t.nodes()).putHostString(t.gid());
    // gti_current_snapshot: xmin, xmax, recent global xmin, count.
    out.putHostInt(0).putHostInt(0).putHostInt(0).putHostInt(0);
    // gti_snapshot_set, gti_vacuum.
    out.putBoolean(false).putBoolean(t.vacuum());
  }

  /** Length and gtm_serialize_sequence. */
  static void putSequence(FrameWriter out, SequenceInfo s) {
    out.putInt(SEQUENCE_BYTES + s.key().length());
    out.putHostString(s.key()).putHostInt(0);
    out.putHostLong(s.value()).putHostLong(s.init()).putHostLong(s.last());
    out.putHostLong(s.increment()).putHostLong(s.min()).putHostLong(s.max());
    out.putBoolean(s.cycle()).putBoolean(s.called());
    out.putHostInt(0).putHostInt(SEQ_STATE_ACTIVE);
  }

  static int nodeBytes(NodeInfo node) {
    var a = node.address();
    return NODE_BYTES
        + a.name().length()
        + a.proxyName().length()
        + a.host().length()
        + a.dataFolder().length();
  }

  /** Length and gtm_serialize_pgxcnodeinfo. */
  static void putNode(FrameWriter out, NodeInfo node) {
    var a = node.address();
    out.putInt(nodeBytes(node));
    out.putHostInt(a.nodeType().code());
    out.putHostString(a.name()).putHostString(a.proxyName()).putHostInt(a.port());
    out.putHostString(a.host()).putHostString(a.dataFolder());
    out.putHostInt(node.connected() ? NODE_CONNECTED : NODE_DISCONNECTED);
  }

  /** What {@link #putTransactions} and {@link #putTransaction} write. */
  static TransactionList readTransactions(FrameReader in) throws WireException {
    in.readListCount(1);
    in.skip(2 * Integer.BYTES);
    int next = in.readHostInt();
    int oldest = in.readHostInt();
    in.skip(Integer.BYTES);
    int warn = in.readHostInt();
    int stop = in.readHostInt();
    int wrap = in.readHostInt();
    int latestCompleted = in.readHostInt();
    int recentGlobalXmin = in.readHostInt();
    int lastHandle = in.readHostInt();
    int count = in.readHostListCount(Long.BYTES + TRANSACTION_BYTES);
    List<TransactionInfo> transactions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.readHostLong();
      transactions.add(readTransaction(in));
    }
    return new TransactionList(
        next,
        oldest,
        warn,
        stop,
        wrap,
        latestCompleted,
        recentGlobalXmin,
        lastHandle,
        transactions);
  }

  private static TransactionInfo readTransaction(FrameReader in) throws WireException {
    int handle = in.readHostInt();
    long session = in.readHostLong();
    // gti_in_use.
    in.readBoolean();
    int gxid = in.readHostInt();
    TransactionState state = transactionState(in.readHostInt());
    // gti_coordname.
    in.readHostString();
    int xmin = in.readHostInt();
    Isolation isolation = isolation(in.readHostInt());
    boolean readOnly = in.readBoolean();
    short backend = in.readHostShort();
    String nodes = in.readHostString();
    String gid = in.readHostString();
    // gti_current_snapshot: xmin, xmax, recent global xmin, and what it lists.
    in.skip(3 * Integer.BYTES);
    in.skip(in.readHostListCount(Integer.BYTES) * Integer.BYTES);
    // gti_snapshot_set.
    in.readBoolean();
    boolean vacuum = in.readBoolean();
    return new TransactionInfo(
        handle, gxid, state, session, backend, isolation, readOnly, vacuum, xmin, gid, nodes);
  }

  static TransactionState transactionState(int code) throws WireException {
    return known(TransactionState.ofCode(code), "transaction state", code);
  }

  private static Isolation isolation(int code) throws WireException {
    return known(Isolation.ofCode(code), "isolation level", code);
  }

  static NodeType nodeType(int code) throws WireException {
    return known(NodeType.ofCode(code), "node type", code);
  }

  private static <T> T known(T value, String what, int code) throws WireException {
    if (value == null) {
      throw new WireException("unknown " + what + " " + code);
    }
    return value;
  }

  /** What {@link #putSequence} writes. */
  static SequenceInfo readSequence(FrameReader in) throws WireException {
    in.readListCount(1);
    String key = in.readHostString();
    // gsk_type.
    in.skip(Integer.BYTES);
    SequenceInfo sequence =
        new SequenceInfo(
            key,
            in.readHostLong(),
            in.readHostLong(),
            in.readHostLong(),
            in.readHostLong(),
            in.readHostLong(),
            in.readHostLong(),
            in.readBoolean(),
            in.readBoolean());
    // gs_ref_count, gs_state.
    in.skip(2 * Integer.BYTES);
    return sequence;
  }

  /** What {@link #putNode} writes. */
  static NodeInfo readNode(FrameReader in) throws WireException {
    in.readListCount(1);
    NodeType type = nodeType(in.readHostInt());
    String name = in.readHostString();
    String proxyName = in.readHostString();
    int port = in.readHostInt();
    String host = in.readHostString();
    String dataFolder = in.readHostString();
    boolean connected = in.readHostInt() == NODE_CONNECTED;
    return new NodeInfo(new NodeAddress(type, name, proxyName, host, port, dataFolder), connected);
  }
}
