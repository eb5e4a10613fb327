package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.NodeReply.NodeInfo;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionList;

/**
 * The structures that the original writes as they lie in memory (common/gtm_serialize.c), fields in
 * the host's order. What has no meaning here (locks, thread ids, cached snapshots) is zero.
 */
final class Serialized {
  private static final int GTM_RUNNING = 1;
  private static final int SEQ_STATE_ACTIVE = 1;
  private static final int NODE_CONNECTED = 0;
  private static final int NODE_DISCONNECTED = 1;

  /** Fixed parts of gtm_serialize_transactioninfo, an empty snapshot included. */
  private static final int TRANSACTION_BYTES = 62;

  /** Fixed parts of gtm_serialize_transactions. */
  private static final int TRANSACTIONS_BYTES = 48;

  private static final int SEQUENCE_BYTES = 66;
  private static final int NODE_BYTES = 28;

  private Serialized() {}

  /** Length and gtm_serialize_transactions. */
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
    for (TransactionInfo t : list.transactions()) {
      out.putHostLong(transactionBytes(t));
      putTransaction(out, t);
    }
  }

  private static int transactionBytes(TransactionInfo t) {
    return TRANSACTION_BYTES + t.nodes().length() + t.gid().length();
  }

  private static void putTransaction(FrameWriter out, TransactionInfo t) {
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

  /** Length and gtm_serialize_pgxcnodeinfo. */
  static void putNode(FrameWriter out, NodeInfo node) {
    var a = node.address();
    int strings =
        a.name().length() + a.proxyName().length() + a.host().length() + a.dataFolder().length();
    out.putInt(NODE_BYTES + strings);
    out.putHostInt(a.nodeType().code());
    out.putHostString(a.name()).putHostString(a.proxyName()).putHostInt(a.port());
    out.putHostString(a.host()).putHostString(a.dataFolder());
    out.putHostInt(node.connected() ? NODE_CONNECTED : NODE_DISCONNECTED);
  }
}
