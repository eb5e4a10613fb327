package io.mgtm.bench.ha;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Sees on how many machines a database's server runs at once, ten times a second. */
final class ServiceWatch implements AutoCloseable {
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Engine engine;
  private final Supplier<Collection<Machine>> machines;
  private final Thread thread = new Thread(this::run, "mgtm-ha-watch");
  private volatile boolean closed;
  private volatile int most;

  private ServiceWatch(Engine engine, Supplier<Collection<Machine>> machines) {
    this.engine = engine;
    this.machines = machines;
  }

  static ServiceWatch start(Engine engine, Supplier<Collection<Machine>> machines) {
    ServiceWatch watch = new ServiceWatch(engine, machines);
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  private void run() {
    while (!closed) {
      most = Math.max(most, now().size());
      LockSupport.parkNanos(EVERY_NANOS);
    }
  }

  /** The machines on which it runs now. */
  List<Machine> now() {
    return machines.get().stream()
        .filter(one -> !one.processes(engine.program()).isEmpty())
        .toList();
  }

  /** On how many it ran at once, at most, since this began. */
  int most() {
    return most;
  }

  @Override
  public void close() {
    closed = true;
  }
}
