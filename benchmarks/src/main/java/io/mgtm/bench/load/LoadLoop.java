package io.mgtm.bench.load;

import io.mgtm.bench.check.Checker;
import io.mgtm.bench.check.SequenceChecker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** One thread of a run, and its connections. Its methods run on that thread unless they say so. */
final class LoadLoop implements Runnable {
  private static final int WATCH_MS = 100;
  private static final int RECONNECT_MS = 20;

  private final LoadSettings settings;
  private final RunClock clock;
  private final LoadErrors errors;
  private final LatencyRecorder<Operation> latencies = new LatencyRecorder<>(Operation.class);
  private final List<LoadConnection> connections = new ArrayList<>();
  private final List<LoadConnection> toConnect = new ArrayList<>();
  private final AtomicLong served = new AtomicLong();
  private int finished;
  private long nextWatch = System.nanoTime();

  LoadLoop(LoadSettings settings, RunClock clock, LoadErrors errors) {
    this.settings = settings;
    this.clock = clock;
    this.errors = errors;
  }

  /** Adds a connection; before the thread runs. */
  void add(int number, Checker checker, SequenceChecker sequence, RequestTemplates requests) {
    connections.add(new LoadConnection(this, number, checker, sequence, requests));
  }

  @Override
  public void run() {
    try (Selector selector = Selector.open()) {
      toConnect.addAll(connections);
      while (finished < connections.size()) {
        connectAll(selector);
        selector.select(this::ready, toConnect.isEmpty() ? WATCH_MS : RECONNECT_MS);
        watch();
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(settings.restMicros()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closeAll();
    }
  }

  private void connectAll(Selector selector) {
    List<LoadConnection> due = List.copyOf(toConnect);
    toConnect.clear();
    for (LoadConnection connection : due) {
      if (clock.over(System.nanoTime())) {
        finished++;
        continue;
      }
      try {
        connection.connect(selector);
      } catch (IOException e) {
        broken(connection, e);
      }
    }
  }

  private void ready(SelectionKey key) {
    LoadConnection connection = (LoadConnection) key.attachment();
    try {
      connection.ready();
      if (connection.finished()) {
        finished++;
      }
    } catch (IOException e) {
      broken(connection, e);
    }
  }

  private void broken(LoadConnection connection, IOException cause) {
    errors.add(connection + ": " + cause.getMessage());
    try {
      connection.broken();
    } catch (IOException e) {
      errors.add(connection + ": closing: " + e.getMessage());
    }
    if (settings.reconnect()) {
      toConnect.add(connection);
    } else {
      finished++;
      clock.stop();
    }
  }

  private void watch() {
    long now = System.nanoTime();
    if (now - nextWatch < 0) {
      return;
    }
    nextWatch = now + TimeUnit.MILLISECONDS.toNanos(WATCH_MS);
    long tooLong = now - TimeUnit.MILLISECONDS.toNanos(settings.requestTimeoutMs());
    for (LoadConnection connection : connections) {
      if (connection.waitsSince(tooLong)) {
        broken(
            connection, new IOException("no answer within " + settings.requestTimeoutMs() + " ms"));
      }
    }
  }

  private void closeAll() {
    for (LoadConnection connection : connections) {
      try {
        connection.close();
      } catch (IOException e) {
        errors.add(connection + ": closing: " + e.getMessage());
      }
    }
  }

  InetSocketAddress target(int number) {
    return settings.targets().get(number % settings.targets().size());
  }

  Mix mix() {
    return settings.mix();
  }

  /** A connection has been accepted for the first time. */
  void accepted() {
    clock.accepted();
  }

  /** What a connection that has ended its cycle does next; null when the time is over. */
  Operation firstOperation(long now) {
    return clock.over(now) ? null : settings.mix().first();
  }

  void served(Operation operation, long nanos, long now) {
    if (clock.counts(now)) {
      latencies.record(operation, nanos);
    }
    served.lazySet(served.getPlain() + 1);
  }

  /** How many requests were answered, warm-up included. Any thread. */
  long served() {
    return served.get();
  }

  /** Where its connections note what they waited. Any thread. */
  Stream<ClientWait> waits() {
    return connections.stream().map(LoadConnection::waited);
  }

  /** When the thread has ended. */
  LatencyRecorder<Operation> latencies() {
    return latencies;
  }
}
