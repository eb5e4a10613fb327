package io.mgtm.gtm.server;

import io.mgtm.group.storage.LogStats;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * What is counted and timed. Meters are recorded by the threads that serve, and read by the one
 * that is asked for them.
 */
final class GtmMetrics {
  private static final Duration[] LATENCY_BUCKETS = {
    Duration.ofNanos(20_000),
    Duration.ofNanos(50_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(200_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(50),
    Duration.ofMillis(200),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  /** What the owner saw last; read by any thread. */
  record View(GtmState.Counts counts, long gxidsUntilStop, int repliesWaiting) {}

  /** How the group stood when the owner looked last. */
  private record GroupView(NodeStatus status, int links, int attachedSessions) {}

  private final MeterRegistry registry;
  private final Map<MessageType, Timer> requests = new EnumMap<>(MessageType.class);
  private final Map<Reply.Reason, Counter> rejections = new EnumMap<>(Reply.Reason.class);
  private final Counter connectionsOpened;
  private final Counter connectionsClosed;
  private final Counter protocolErrors;
  private final Counter refusedForRoom;
  private final Counter linkCommands;
  private final Timer linkBatches;
  private volatile GroupView groupView;
  private volatile View view = new View(new GtmState.Counts(0, 0, 0, 0, 0, 0), Long.MAX_VALUE, 0);

  GtmMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (MessageType type : MessageType.values()) {
      if (!type.name().startsWith("BKUP_")) {
        requests.put(type, timer(type));
      }
    }
    for (Reply.Reason reason : Reply.Reason.values()) {
      rejections.put(
          reason,
          Counter.builder("mgtm.rejections")
              .description("Requests answered with an error, by reason")
              .tag("reason", reason.name())
              .register(registry));
    }
    connectionsOpened = counter("mgtm.connections.opened", "Connections accepted");
    connectionsClosed = counter("mgtm.connections.closed", "Connections that have ended");
    protocolErrors = counter("mgtm.protocol.errors", "Connections closed for what they sent");
    refusedForRoom = counter("mgtm.refused.no.room", "Requests refused for lack of disk space");
    linkCommands = counter("mgtm.link.commands", "Commands that links brought");
    linkBatches =
        Timer.builder("mgtm.link.batches")
            .description("What one batch of the owner brought over links, until its replies left")
            .serviceLevelObjectives(LATENCY_BUCKETS)
            .register(registry);
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

  private Timer timer(MessageType type) {
    return Timer.builder("mgtm.requests")
        .description(
            "Requests served, by message type: from read to reply, or what links brought from its"
                + " batch on")
        .tag("type", type.name())
        .serviceLevelObjectives(LATENCY_BUCKETS)
        .register(registry);
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name).description(description).register(registry);
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

  /** The replies of a batch have left. */
  void served(List<Batch.Item> items, long readNanos) {
    long nanos = System.nanoTime() - readNanos;
    for (int i = 0; i < items.size(); i++) {
      MessageType type = items.get(i).type();
      if (type != null) {
        Timer timer = requests.get(type);
        if (timer != null) {
          timer.record(nanos, TimeUnit.NANOSECONDS);
        }
      }
    }
  }

  /** The replies to a batch's commands of gateways have left. */
  void linkServed(ServedCommands commands, long sinceNanos) {
    long nanos = System.nanoTime() - sinceNanos;
    linkCommands.increment(commands.total());
    linkBatches.record(nanos, TimeUnit.NANOSECONDS);
    commands.forEach(type -> requests.get(type).record(nanos, TimeUnit.NANOSECONDS));
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

  void rejected(Reply.Reason reason) {
    rejections.get(reason).increment();
  }

  void refusedForRoom() {
    refusedForRoom.increment();
  }

  void connected() {
    connectionsOpened.increment();
  }

  void disconnected() {
    connectionsClosed.increment();
  }

  void protocolError() {
    protocolErrors.increment();
  }

  /** Owner thread: lets the gauges show the state of now. */
  void observe(GtmState state, int repliesWaiting) {
    view = new View(state.counts(), state.gxidsUntilStop(), repliesWaiting);
  }
}
