package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What is counted and timed. Meters are recorded by the threads that serve, and read by the one
 * that is asked for them.
 */
public final class RequestMetrics {
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

  private final MeterRegistry registry;
  private final Map<MessageType, Timer> requests = new EnumMap<>(MessageType.class);
  private final Map<Reply.Reason, Counter> rejections = new EnumMap<>(Reply.Reason.class);
  private final Counter connectionsOpened;
  private final Counter connectionsClosed;
  private final Counter protocolErrors;
  private final Counter refusedForRoom;
  private final Counter linkCommands;
  private final Timer linkBatches;

  public RequestMetrics(MeterRegistry registry) {
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
  public void linkServed(ServedCommands commands, long sinceNanos) {
    long nanos = System.nanoTime() - sinceNanos;
    linkCommands.increment(commands.total());
    linkBatches.record(nanos, TimeUnit.NANOSECONDS);
    commands.forEach(type -> requests.get(type).record(nanos, TimeUnit.NANOSECONDS));
  }

  void rejected(Reply.Reason reason) {
    rejections.get(reason).increment();
  }

  void refusedForRoom() {
    refusedForRoom.increment();
  }

  public void connected() {
    connectionsOpened.increment();
  }

  public void disconnected() {
    connectionsClosed.increment();
  }

  public void protocolError() {
    protocolErrors.increment();
  }
}
