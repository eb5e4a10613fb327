package io.mgtm.gtm.cli;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeReply.NodeInfo;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionInfo;
import io.mgtm.gtm.command.TransactionReply.TransactionList;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.StateCounts;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * What the commands print as JSON. The component names are stable; gxids are the 32 bits that XC
 * nodes see, as numbers from 0.
 */
final class Views {
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  private Views() {}

  static long unsigned(int gxid) {
    return Integer.toUnsignedLong(gxid);
  }

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** How far off the wraparound limits are; negative once they are passed. */
  record LimitsView(
      long warnGxid, long untilWarn, long stopGxid, long untilStop, long wrapGxid, long untilWrap) {
    /** The limits of {@code list}; null from the original GTM, which never sets them. */
    static LimitsView of(TransactionList list) {
      if (list.stopGxid() == 0) {
        return null;
      }
      int next = list.nextGxid();
      return new LimitsView(
          unsigned(list.warnGxid()),
          distance(next, list.warnGxid()),
          unsigned(list.stopGxid()),
          distance(next, list.stopGxid()),
          unsigned(list.wrapGxid()),
          distance(next, list.wrapGxid()));
    }
  }

  /** How far it is to a limit: at most half the space, which a new cluster is before the wrap. */
  private static long distance(int from, int to) {
    int distance = to - from;
    return distance == Integer.MIN_VALUE ? 1L << 31 : distance;
  }

  /** One node. */
  record NodeView(
      String type,
      String name,
      String host,
      int port,
      String dataFolder,
      String proxy,
      boolean connected) {
    static NodeView of(NodeInfo node) {
      var a = node.address();
      return new NodeView(
          lower(a.nodeType()),
          Names.printable(a.name()),
          Names.printable(a.host()),
          a.port(),
          Names.printable(a.dataFolder()),
          Names.printable(a.proxyName()),
          node.connected());
    }
  }

  /** The whole of it. */
  record StatusView(
      String at,
      double answerMs,
      long nextGxid,
      long oldestGxid,
      long latestCompletedGxid,
      long recentGlobalXmin,
      LimitsView limits,
      int openTransactions,
      int preparedTransactions,
      int sequences,
      List<NodeView> nodes,
      NodeStatus group) {}

  /**
   * What a node tells over the link while it takes no XC client from here.
   *
   * @param group null of a node without a group
   * @param whyNoMore why nothing more was asked
   * @param held null when it does not count now
   */
  record GroupView(String at, NodeStatus group, String whyNoMore, StateCounts held) {}

  /** One open transaction; gxid 0 while it has none. */
  record TransactionView(
      long gxid,
      int handle,
      String state,
      String isolation,
      boolean readOnly,
      boolean autovacuum,
      long session,
      int backend,
      long xmin,
      String gid,
      String nodes) {
    static TransactionView of(TransactionInfo t) {
      return new TransactionView(
          unsigned(t.gxid()),
          t.handle(),
          lower(t.state()),
          lower(t.isolation()),
          t.readOnly(),
          t.vacuum(),
          t.session(),
          t.backend(),
          unsigned(t.xmin()),
          Names.printable(t.gid()),
          Names.printable(t.nodes()));
    }
  }

  /** A prepared transaction. */
  record PreparedView(long gxid, String gid, String nodes) {}

  /** One sequence. */
  record SequenceView(
      String name,
      long value,
      boolean called,
      long start,
      long increment,
      long min,
      long max,
      boolean cycle) {
    static SequenceView of(SequenceInfo s) {
      return new SequenceView(
          Names.printable(s.key()),
          s.value(),
          s.called(),
          s.init(),
          s.increment(),
          s.min(),
          s.max(),
          s.cycle());
    }
  }

  /** One barrier. */
  record BarrierView(String id, long nextGxid, String time) {
    static BarrierView of(BarrierInfo b) {
      return new BarrierView(
          Names.printable(b.id()),
          b.nextGxid() & 0xffff_ffffL,
          EPOCH.plus(b.timeMicros(), ChronoUnit.MICROS).toString());
    }
  }

  /** The origin of the limits after it was moved. */
  record AdvancedView(long oldestGxid, long stopGxid) {}

  /** What was unregistered. */
  record UnregisteredView(String type, String unregistered) {}
}
