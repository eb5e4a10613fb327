package io.mgtm.gtm.cli;

import io.mgtm.gtm.cli.Views.LimitsView;
import io.mgtm.gtm.cli.Views.NodeView;
import io.mgtm.gtm.cli.Views.StatusView;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.TransactionReply.TransactionList;
import io.mgtm.gtm.command.TransactionState;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code mgtm gtm status}: what an operator wants to see first; of an original GTM too. */
@Command(name = "status", description = "Shows gxids, limits, and how much is open.")
final class StatusCommand extends ClientCommand {
  private static final double NANOS_PER_MS = 1e6;
  private static final int REQUESTS = 5;

  @Override
  Answer ask(GtmClient client) throws IOException {
    double answerMs = answerMs(client);
    TransactionList list = client.transactions();
    int prepared =
        (int)
            list.transactions().stream()
                .filter(t -> t.state() == TransactionState.PREPARED)
                .count();
    StatusView view =
        new StatusView(
            at().toString(),
            answerMs,
            Views.unsigned(list.nextGxid()),
            Views.unsigned(list.oldestGxid()),
            Views.unsigned(list.latestCompletedGxid()),
            Views.unsigned(list.recentGlobalXmin()),
            LimitsView.of(list),
            list.transactions().size(),
            prepared,
            client.sequences().size(),
            client.nodes().stream().map(NodeView::of).toList());
    return new Answer(view, text(view));
  }

  /** The quickest of several requests: the first ones pay for loading this program. */
  private static double answerMs(GtmClient client) throws IOException {
    long bestNanos = Long.MAX_VALUE;
    for (int i = 0; i < REQUESTS; i++) {
      long askedNanos = System.nanoTime();
      client.nextGxid();
      bestNanos = Math.min(bestNanos, System.nanoTime() - askedNanos);
    }
    return Math.round(bestNanos / NANOS_PER_MS * 1_000) / 1_000.0;
  }

  private static String text(StatusView s) {
    StringBuilder out = new StringBuilder();
    line(out, "GTM", s.at() + ", answers in " + s.answerMs() + " ms");
    line(out, "next gxid", s.nextGxid());
    line(out, "oldest gxid", s.oldestGxid() == 0 ? "not known" : s.oldestGxid());
    LimitsView limits = s.limits();
    if (limits == null) {
      line(out, "limits", "none: this is an original GTM");
    } else {
      line(out, "warnings from", distance(limits.warnGxid(), limits.untilWarn()));
      line(out, "begins stop at", distance(limits.stopGxid(), limits.untilStop()));
      line(out, "ids wrap at", distance(limits.wrapGxid(), limits.untilWrap()));
    }
    line(
        out,
        "transactions",
        s.openTransactions() + " open, " + s.preparedTransactions() + " of them prepared");
    line(out, "sequences", s.sequences());
    line(out, "nodes", nodes(s.nodes()));
    for (NodeView node : s.nodes()) {
      line(
          out,
          "",
          "%s %s at %s:%d, %s"
              .formatted(
                  node.type(),
                  node.name(),
                  node.host(),
                  node.port(),
                  node.connected() ? "connected" : "not connected"));
    }
    return out.toString();
  }

  private static String nodes(List<NodeView> nodes) {
    long connected = nodes.stream().filter(NodeView::connected).count();
    return nodes.size() + " registered, " + connected + " connected";
  }

  private static String distance(long gxid, long left) {
    return left >= 0
        ? String.format(Locale.ROOT, "%d, %,d from here", gxid, left)
        : String.format(Locale.ROOT, "%d, passed %,d ago", gxid, -left);
  }

  private static void line(StringBuilder out, String name, Object value) {
    out.append(String.format(Locale.ROOT, "%-15s %s\n", name, value));
  }
}
