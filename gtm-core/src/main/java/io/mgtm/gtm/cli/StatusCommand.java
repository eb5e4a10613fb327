package io.mgtm.gtm.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.gtm.cli.Views.GroupView;
import io.mgtm.gtm.cli.Views.LimitsView;
import io.mgtm.gtm.cli.Views.NodeView;
import io.mgtm.gtm.cli.Views.StatusView;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.client.NodeRefusedException;
import io.mgtm.gtm.command.TransactionReply.TransactionList;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.StateCounts;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mgtm gtm status}: what an operator wants to see first; of an original GTM too. */
@Command(name = "status", description = "Shows the group, gxids, limits, and how much is open.")
final class StatusCommand extends ClientCommand {
  private static final Logger LOG = LoggerFactory.getLogger(StatusCommand.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double NANOS_PER_MS = 1e6;
  private static final int REQUESTS = 5;

  @Mixin private LinkOptions link;

  private NodeStatus group;

  /** Why the node does not serve, or empty. */
  private String trouble = "";

  /** Whether it is a node of mgtm that may be asked to count. */
  private boolean counts;

  /**
   * A member of a group is asked about the group first, for it may have nothing else to tell. An
   * original GTM, and a proxy, do not understand the question.
   */
  @Override
  Answer obtain(ClientSettings settings) throws IOException {
    group = group();
    String whyNoMore = trouble;
    if (group == null || !group.leader().isEmpty()) {
      try {
        return super.obtain(settings);
      } catch (IOException e) {
        if (group == null && !counts) {
          throw e;
        }
        whyNoMore = e.getMessage();
      }
    }
    return byLink(whyNoMore);
  }

  /** What a node tells that takes no XC client from here, or could not serve one. */
  private Answer byLink(String whyNoMore) {
    StringBuilder text = new StringBuilder();
    if (group != null) {
      group = asLeaderKnowsIt(group);
      text.append(groupText(group));
    } else if (!trouble.isEmpty()) {
      line(text, "does not serve", trouble);
    }
    line(text, "GTM", at() + ", asked over the link only: " + whyNoMore);
    StateCounts held = null;
    try {
      held = count(at(), true);
      counters(text, held.counters());
      open(text, held.transactions(), held.prepared(), held.sequences());
    } catch (IOException e) {
      LOG.debug("Nothing is counted", e);
    }
    return new Answer(new GroupView(at().toString(), group, whyNoMore, held), text.toString());
  }

  @Override
  int status() {
    return trouble.isEmpty() ? 0 : 1;
  }

  /** What the node says of its group; null when it is in none, or no node of mgtm. */
  private NodeStatus group() throws IOException {
    try {
      NodeStatus status = ask(at());
      counts = true;
      trouble = status.trouble();
      return status.mode().equals("single") ? null : status;
    } catch (NodeRefusedException e) {
      if (e.isNode() || link.isGiven()) {
        throw e;
      }
      LOG.debug("No node of mgtm answers", e);
      return null;
    }
  }

  private NodeStatus ask(NodeAddress node) throws IOException {
    try (AdminClient client = link.connect(node, timeoutMs())) {
      AdminClient.Answer answer = client.ask("status", "");
      if (answer.kind() != AdminReplyKind.DONE) {
        throw new IOException(answer.text());
      }
      return JSON.readValue(answer.bytes(), NodeStatus.class);
    }
  }

  /**
   * What the node says of its group once it has served a client. A follower hears who leads before
   * it hears where; one that has served knows both.
   */
  private NodeStatus afterServing() throws IOException {
    boolean known = !group.leaderAddress().isEmpty() && trouble.isEmpty();
    NodeStatus again = known ? group : group();
    return asLeaderKnowsIt(again == null ? group : again);
  }

  private NodeStatus asLeaderKnowsIt(NodeStatus known) {
    NodeStatus found = new GroupLook(at(), this::ask).from(known);
    trouble = found.trouble();
    return found;
  }

  private static String groupText(NodeStatus g) {
    StringBuilder out = new StringBuilder();
    line(out, "member", "%s, %s of a %s group".formatted(g.member(), g.role(), g.mode()));
    line(
        out,
        "leader",
        (g.leader().isEmpty() ? "none" : g.leader())
            + (g.leaderAddress().isEmpty() ? "" : " at " + g.leaderAddress())
            + ", term "
            + g.term()
            + (g.transferring() ? ", handing over" : ""));
    line(
        out,
        "log",
        "entry %d, committed %d, applied %d, durability %s"
            .formatted(g.lastIndex(), g.committedIndex(), g.appliedIndex(), g.durability()));
    if (!g.trouble().isEmpty()) {
      line(out, "does not serve", g.trouble());
    }
    for (String warning : g.warnings()) {
      line(out, "WARNING", warning);
    }
    for (NodeStatus.MemberStatus m : g.members()) {
      line(
          out,
          "",
          "%s %s, %s, %s"
              .formatted(
                  m.name(),
                  m.voter() ? "votes" : "is joining",
                  kept(m),
                  m.connected() ? "connected" : "not connected"));
    }
    return out.toString();
  }

  private static String kept(NodeStatus.MemberStatus m) {
    if (m.witness()) {
      return "witness without data";
    }
    return m.lagEntries() < 0 ? "lag not known" : m.lagEntries() + " entries behind";
  }

  @Override
  Answer ask(GtmClient client) throws IOException {
    double answerMs = answerMs(client);
    StateCounts held = counts ? counted(client) : listed(client);
    TransactionList list = held.counters();
    List<NodeView> nodes = client.nodes().stream().map(NodeView::of).toList();
    if (group != null) {
      group = afterServing();
    }
    StatusView view =
        new StatusView(
            at().toString(),
            answerMs,
            Views.unsigned(list.nextGxid()),
            Views.unsigned(list.oldestGxid()),
            Views.unsigned(list.latestCompletedGxid()),
            Views.unsigned(list.recentGlobalXmin()),
            LimitsView.of(list),
            held.transactions(),
            held.prepared(),
            held.sequences(),
            nodes,
            group);
    return new Answer(view, text(view));
  }

  /** A node of before cannot count, and lists. */
  private StateCounts counted(GtmClient client) throws IOException {
    try {
      return count(at(), true);
    } catch (IOException e) {
      LOG.debug("The node does not count", e);
      return listed(client);
    }
  }

  private StateCounts count(NodeAddress node, boolean mayRedirect) throws IOException {
    try (AdminClient admin = link.connect(node, timeoutMs())) {
      AdminClient.Answer answer = admin.ask("counts", "");
      if (answer.kind() == AdminReplyKind.DONE) {
        return JSON.readValue(answer.bytes(), StateCounts.class);
      }
      if (answer.kind() == AdminReplyKind.REDIRECT && mayRedirect && !answer.text().isEmpty()) {
        return count(NodeAddress.parse(answer.text()), false);
      }
      throw new IOException(answer.text());
    }
  }

  private static StateCounts listed(GtmClient client) throws IOException {
    TransactionList list = client.transactions();
    long prepared =
        list.transactions().stream().filter(t -> t.state() == TransactionState.PREPARED).count();
    return StateCounts.of(
        list, list.transactions().size(), (int) prepared, client.sequences().size());
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

  private String text(StatusView s) {
    StringBuilder out = new StringBuilder();
    if (s.group() != null) {
      out.append(groupText(s.group()));
    } else if (!trouble.isEmpty()) {
      line(out, "does not serve", trouble);
    }
    boolean original = s.limits() == null;
    String what = counts || original ? "" : ", a proxy: of the group, a node is asked (--at)";
    line(out, "GTM", s.at() + what + ", answers in " + s.answerMs() + " ms");
    counters(out, s.nextGxid(), s.oldestGxid(), s.limits());
    open(out, s.openTransactions(), s.preparedTransactions(), s.sequences());
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

  private static void counters(StringBuilder out, TransactionList c) {
    counters(out, Views.unsigned(c.nextGxid()), Views.unsigned(c.oldestGxid()), LimitsView.of(c));
  }

  private static void counters(StringBuilder out, long next, long oldest, LimitsView limits) {
    line(out, "next gxid", next);
    line(out, "oldest gxid", oldest == 0 ? "not known" : oldest);
    if (limits == null) {
      line(out, "limits", "none: this is an original GTM");
    } else {
      line(out, "warnings from", distance(limits.warnGxid(), limits.untilWarn()));
      line(out, "begins stop at", distance(limits.stopGxid(), limits.untilStop()));
      line(out, "ids wrap at", distance(limits.wrapGxid(), limits.untilWrap()));
    }
  }

  private static void open(StringBuilder out, long transactions, long prepared, long sequences) {
    line(out, "transactions", transactions + " open, " + prepared + " of them prepared");
    line(out, "sequences", sequences);
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
