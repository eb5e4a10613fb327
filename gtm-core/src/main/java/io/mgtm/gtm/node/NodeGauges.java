package io.mgtm.gtm.node;

import io.mgtm.group.storage.LogStats;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.state.GtmState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** What a node shows of its state, its log and its group. Any thread reads them. */
final class NodeGauges {
  /** How the group stood when the owner looked last. */
  private record GroupView(NodeStatus status, int links, int attachedSessions) {}

  /** What the owner saw last; read by any thread. */
  record View(GtmState.Counts counts, long gxidsUntilStop, int repliesWaiting) {}

  private final MeterRegistry registry;
  private volatile GroupView groupView;
  private volatile View view = new View(new GtmState.Counts(0, 0, 0, 0, 0, 0), Long.MAX_VALUE, 0);

  NodeGauges(MeterRegistry registry) {
    this.registry = registry;
    groupGauges();
    gauge("mgtm.transactions.open", "Open transactions", v -> v.counts().transactions());
    gauge("mgtm.transactions.prepared", "Prepared transactions", v -> v.counts().prepared());
    gauge("mgtm.sequences", "Sequences", v -> v.counts().sequences());
    gauge("mgtm.nodes", "Registered nodes", v -> v.counts().nodes());
    gauge("mgtm.sessions", "Sessions", v -> v.counts().sessions());
    gauge("mgtm.gxid.next", "The gxid that is given next", v -> v.counts().nextGxid());
    gauge("mgtm.gxid.until.stop", "Gxids left before begins stop", View::gxidsUntilStop);
    gauge("mgtm.replies.waiting", "Replies that wait for the log", View::repliesWaiting);
  }

  private void gauge(String name, String description, ToDoubleFunction<View> value) {
    Gauge.builder(name, this, m -> value.applyAsDouble(m.view))
        .description(description)
        .register(registry);
  }

  /** Adds what the log tells of itself. */
  void bindLog(Supplier<LogStats> stats) {
    logCounter("mgtm.log.bytes", "Bytes appended to the log", stats, LogStats::appendedBytes);
    logCounter("mgtm.log.forces", "Forces of the log to disk (fsync)", stats, LogStats::forces);
    logCounter("mgtm.log.force.seconds", "Time spent forcing", stats, s -> s.forceNanos() / 1e9);
    logCounter("mgtm.log.checkpoints", "Checkpoints written", stats, LogStats::checkpoints);
    logCounter(
        "mgtm.log.checkpoint.failures",
        "Checkpoints that could not be written",
        stats,
        LogStats::checkpointFailures);
    Gauge.builder("mgtm.log.segments", stats, s -> s.get().segments())
        .description("Log files in use")
        .strongReference(true)
        .register(registry);
  }

  private void logCounter(
      String name, String description, Supplier<LogStats> stats, ToDoubleFunction<LogStats> value) {
    FunctionCounter.builder(name, stats, s -> value.applyAsDouble(s.get()))
        .description(description)
        .register(registry);
  }

  /** Owner thread: lets the gauges show how the group stands now. */
  void observeGroup(NodeStatus status, int links, int attachedSessions) {
    groupView = new GroupView(status, links, attachedSessions);
  }

  private void groupGauge(String name, String description, ToDoubleFunction<GroupView> value) {
    Gauge.builder(name, this, m -> m.groupView == null ? 0 : value.applyAsDouble(m.groupView))
        .description(description)
        .register(registry);
  }

  private void groupGauges() {
    groupGauge("mgtm.group.leads", "1 on the member that leads", v -> v.status().serving() ? 1 : 0);
    groupGauge("mgtm.group.term", "The term", v -> v.status().term());
    groupGauge("mgtm.group.members", "Members of the group", v -> v.status().members().size());
    groupGauge(
        "mgtm.group.members.connected",
        "Members that this one is connected with, itself included",
        v -> v.status().members().stream().filter(NodeStatus.MemberStatus::connected).count());
    groupGauge(
        "mgtm.group.commit.lag",
        "Entries of this member's log that are not known as committed",
        v -> v.status().lastIndex() - v.status().committedIndex());
    groupGauge(
        "mgtm.group.apply.lag",
        "Committed entries that this member has not applied",
        v -> Math.max(0, v.status().committedIndex() - v.status().appliedIndex()));
    groupGauge(
        "mgtm.group.member.lag.max",
        "Entries that the member farthest behind lacks, as the leader knows",
        v ->
            v.status().members().stream()
                .mapToLong(NodeStatus.MemberStatus::lagEntries)
                .max()
                .orElse(0));
    groupGauge("mgtm.links", "Gateways that are linked to this node", GroupView::links);
    groupGauge(
        "mgtm.link.sessions",
        "Sessions of gateways that are attached",
        GroupView::attachedSessions);
  }

  /** Owner thread: lets the gauges show the state of now. */
  void observe(GtmState state, int repliesWaiting) {
    view = new View(state.counts(), state.gxidsUntilStop(), repliesWaiting);
  }
}
