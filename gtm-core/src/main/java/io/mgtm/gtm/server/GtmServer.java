package io.mgtm.gtm.server;

import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.local.LocalLog;
import io.mgtm.group.local.LocalLogSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.MetricsServer;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A GTM: its log, its state, its sockets. {@link #start} and {@link #close} may be called by any
 * thread; {@link #failure} tells when it cannot go on.
 */
public final class GtmServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GtmServer.class);
  private static final int TICK_MS = 500;
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  private final GtmConfig config;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final GtmMetrics metrics = new GtmMetrics(registry);
  private final SocketServer sockets;
  private final EventLoop owner;
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final GxidWarning gxidWarning = new GxidWarning();

  private LocalLog localLog;
  private GtmStateMachine machine;
  private Engine engine;
  private MetricsServer metricsServer;
  private ScheduledFuture<?> ticker;
  private volatile String trouble = "";

  private GtmServer(GtmConfig config) {
    this.config = config;
    this.sockets = new SocketServer(config, metrics, this::fail);
    this.owner = sockets.owner();
  }

  /**
   * Opens the data folder, recovers, and serves.
   *
   * @throws LogException when the folder cannot be used
   * @throws IOException when an address cannot be listened on
   */
  public static GtmServer start(GtmConfig config) throws IOException {
    return start(config, null);
  }

  /**
   * Fills a new data folder with what another GTM left, and serves.
   *
   * @param takeover what the folder begins with; null lets it begin empty
   * @throws LogException when the folder cannot be used, or is not new though there is something to
   *     take over
   * @throws IOException when an address cannot be listened on
   */
  public static GtmServer start(GtmConfig config, Takeover takeover) throws IOException {
    GtmServer server = new GtmServer(config);
    try {
      server.onOwner(() -> server.recover(takeover));
      if (config.metrics() != null) {
        server.metricsServer =
            new MetricsServer(config.metrics(), server.registry, () -> server.trouble);
      }
      server.sockets.listen(server.engine);
      server.ticker =
          server.owner.scheduleAtFixedRate(server::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void recover(Takeover takeover) {
    machine = new GtmStateMachine(GtmState.empty());
    localLog = LocalLog.open(config.data(), logSettings(), machine, owner, new LogListener());
    metrics.bindLog(localLog::stats);
    machine.state().setLimits(limits());
    engine = new Engine(machine.state(), localLog, GtmServer::nowMicros, metrics);
    begin(takeover);
    engine.restart(!localLog.recoveredUncleanly());
    GtmState.Counts counts = machine.state().counts();
    log.info(
        "Next gxid {}, {} prepared transactions, {} sequences, {} nodes",
        counts.nextGxid(),
        counts.prepared(),
        counts.sequences(),
        counts.nodes());
  }

  /** Writes the first entries of a new log. */
  private void begin(Takeover takeover) {
    if (localLog.lastIndex() == 0) {
      Takeover first = takeover == null ? Takeover.nothing(config.gxid().first()) : takeover;
      first.check(limits());
      engine.initialize(first.commands());
      if (takeover != null) {
        log.info("Took over {} sequences", takeover.sequences().size());
      }
    } else if (!machine.state().started()) {
      throw new LogException(
          LogException.Category.FORMAT,
          "The data folder %s holds an import that was interrupted; empty it and import again"
              .formatted(config.data()));
    } else if (takeover != null) {
      throw new LogException(
          LogException.Category.IN_USE,
          "The data folder %s is not new, and an import fills a new one only; choose another with --data, or start without --import-control"
              .formatted(config.data()));
    }
  }

  private LocalLogSettings logSettings() {
    LogSettings base = LogSettings.defaults();
    LocalLogSettings defaults = LocalLogSettings.defaults();
    return new LocalLogSettings(
        config.durability(),
        new LogSettings(
            config.log().segmentBytes(),
            base.sparesAhead(),
            base.sparesMax(),
            base.roomWaitMs(),
            base.roomRetryMs()),
        config.log().checkpointBytes(),
        defaults.checkpointRetryMs());
  }

  private Limits limits() {
    GtmConfig.LimitsConfig l = config.limits();
    return new Limits(
        l.transactionsMax(),
        l.snapshotGxidsMax(),
        l.sequencesMax(),
        l.nodesMax(),
        config.gxid().stopMargin(),
        config.gxid().warnMargin());
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(EPOCH, Instant.now());
  }

  private void tick() {
    if (failure.isDone()) {
      return;
    }
    try {
      engine.tick();
      boolean room = localLog.hasRoom(EntryWriter.ENTRY_BYTES_MAX);
      trouble = room ? "" : localLog.noRoomReason();
      gxidWarning.check(machine.state());
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** What the log tells. */
  private final class LogListener implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {
      engine.committed(index);
    }

    @Override
    public void failed(LogException cause) {
      fail(cause);
    }
  }

  /** Stops serving at once: what is not acknowledged is in doubt. Any thread. */
  private void fail(Throwable cause) {
    trouble = "stopped: " + (cause.getMessage() == null ? cause : cause.getMessage());
    if (failure.complete(cause)) {
      log.error("The GTM cannot go on", cause);
      sockets.stopListening();
    }
  }

  /** Completes with the cause when the GTM cannot go on; it is then to be closed. */
  public CompletableFuture<Throwable> failure() {
    return failure;
  }

  /** Where XC nodes connect. */
  public InetSocketAddress address() {
    return sockets.address();
  }

  /** Where metrics are served, or null. */
  public InetSocketAddress metricsAddress() {
    return metricsServer == null ? null : metricsServer.address();
  }

  private void onOwner(Runnable task) {
    try {
      owner.submit(task).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Closes every connection, then the log; a second call does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (metricsServer != null) {
      metricsServer.close();
    }
    if (ticker != null) {
      ticker.cancel(false);
    }
    sockets.closeConnections();
    onOwner(
        () -> {
          if (engine != null) {
            engine.abandon();
          }
          if (localLog != null) {
            localLog.close();
          }
        });
    sockets.close();
  }
}
