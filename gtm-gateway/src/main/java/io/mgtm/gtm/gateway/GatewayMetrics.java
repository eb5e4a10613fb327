package io.mgtm.gtm.gateway;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a gateway counts. Recorded on its event loop, read by any thread. */
public final class GatewayMetrics {
  private static final Duration[] PAUSE_BUCKETS = {
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(300),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(3),
    Duration.ofSeconds(10)
  };

  private final Counter commands;
  private final Counter replies;
  final Counter repeated;
  final Counter sessionsLost;
  final Counter opened;
  final Counter closed;
  final Counter turnedAway;
  final Counter protocolErrors;
  final Counter windowFull;
  private final DistributionSummary batch;
  private final Timer pauses;
  private volatile int outstanding;

  /** Registers the meters. */
  public GatewayMetrics(MeterRegistry registry) {
    commands = counter(registry, "mgtm.gateway.commands", "Commands of clients");
    replies = counter(registry, "mgtm.gateway.replies", "Replies to clients");
    repeated = counter(registry, "mgtm.gateway.repeated", "Commands repeated at a new leader");
    sessionsLost = counter(registry, "mgtm.gateway.sessions.lost", "Sessions that the GTM lost");
    opened = counter(registry, "mgtm.gateway.connections.opened", "Connections accepted");
    closed = counter(registry, "mgtm.gateway.connections.closed", "Connections that have ended");
    turnedAway =
        counter(registry, "mgtm.gateway.connections.turned.away", "Connections not accepted");
    protocolErrors =
        counter(registry, "mgtm.gateway.protocol.errors", "Connections closed for what they sent");
    windowFull =
        counter(registry, "mgtm.gateway.window.full", "Times that a client waited for the window");
    batch =
        DistributionSummary.builder("mgtm.gateway.batch")
            .description("Commands that leave together")
            .register(registry);
    pauses =
        Timer.builder("mgtm.gateway.pause")
            .description("How long clients waited for a new leader")
            .serviceLevelObjectives(PAUSE_BUCKETS)
            .register(registry);
    Gauge.builder("mgtm.gateway.outstanding", this, m -> m.outstanding)
        .description("Commands without a reply yet")
        .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  /** The event loop's batch has ended: what came and went in it. */
  void batch(int commandsCame, int repliesWent, int outstandingNow) {
    if (commandsCame > 0) {
      commands.increment(commandsCame);
      batch.record(commandsCame);
    }
    if (repliesWent > 0) {
      replies.increment(repliesWent);
    }
    outstanding = outstandingNow;
  }

  void leaderChanged(long pauseNanos) {
    pauses.record(pauseNanos, TimeUnit.NANOSECONDS);
  }
}
