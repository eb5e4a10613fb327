package io.mgtm.ha.node;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.watchdog.GuardPlan;
import io.mgtm.ha.watchdog.GuardSteps;
import io.mgtm.ha.watchdog.KernelWatchdog;
import io.mgtm.ha.watchdog.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds the watchdog's process, and starts another where it is gone. The owner thread only moves
 * deadlines; what waits is done by a thread of its own.
 */
final class WatchdogGuardian implements Guardian {
  private static final Logger log = LoggerFactory.getLogger(WatchdogGuardian.class);
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
  private static final int AGAIN_MS = 50;
  private static final int CLOSE_S = 5;

  /** After so long what has failed is tried again. */
  private static final int AGAIN_S = 1;

  private final Watchdog watchdog;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(WatchdogGuardian::thread);

  private final String device;
  private final boolean former;

  /** The number of the newest wish for each hierarchy. */
  private final Map<String, Long> wishes = new ConcurrentHashMap<>();

  private static Thread thread(Runnable task) {
    Thread own = new Thread(task, "mgtm-ha-watchdog");
    own.setDaemon(true);
    return own;
  }

  private WatchdogGuardian(Watchdog watchdog, String device) {
    this.watchdog = watchdog;
    this.device = device;
    this.former = !watchdog.isIdle();
  }

  /**
   * Starts the watchdog where none runs.
   *
   * @param device the kernel's watchdog that is fed too, or empty
   * @throws IOException when its folder or the device cannot be used
   */
  static WatchdogGuardian start(Path runtime, int guardMs, String device) throws IOException {
    KernelWatchdog.check(device);
    WatchdogGuardian guardian =
        new WatchdogGuardian(new Watchdog(runtime.resolve("watchdog"), guardMs, device), device);
    guardian.later("start", guardian.watchdog::ensureRunning);
    return guardian;
  }

  @Override
  public boolean hasFormer() {
    return former;
  }

  @Override
  public CompletableFuture<?> guard(
      String hierarchy, GuardPlan plan, long deadlineMs, int guardMs) {
    long wish = wishes.merge(hierarchy, 1L, Long::sum);
    watchdog.mustActWithin(guardMs);
    boolean ends = plan.endsSomething();
    long deadlineNanos = TimeUnit.MILLISECONDS.toNanos(deadlineMs);
    if (plan.equals(watchdog.plan(hierarchy))
        && (!ends || watchdog.feed(hierarchy, deadlineNanos))) {
      return DONE;
    }
    Work work =
        () -> {
          if (!watchdog.isRunning()) {
            watchdog.ensureRunning();
          }
          watchdog.guard(hierarchy, plan, deadlineNanos);
        };
    return ends ? later("guard " + hierarchy, work) : untilDone(hierarchy, wish, work);
  }

  /** A watchdog that is not told that nothing is left would end again what is begun beside. */
  private CompletableFuture<Void> untilDone(String hierarchy, long wish, Work work) {
    CompletableFuture<Void> done = later("be told that nothing is left of " + hierarchy, work);
    done.exceptionally(
        failed -> {
          CompletableFuture.delayedExecutor(AGAIN_S, TimeUnit.SECONDS)
              .execute(
                  () -> {
                    if (wishes.get(hierarchy) == wish && !thread.isShutdown()) {
                      untilDone(hierarchy, wish, work);
                    }
                  });
          return null;
        });
    return done;
  }

  /** Work that blocks. */
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private CompletableFuture<Void> later(String what, Work work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (IOException e) {
            log.error("The watchdog cannot {}: {}", what, e.getMessage());
            throw new CompletionException(e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
          }
        },
        thread);
  }

  @Override
  public void end(String hierarchy, GuardPlan plan) throws InterruptedException {
    ExecutorService threads = Executors.newCachedThreadPool(WatchdogGuardian::thread);
    Set<String> said = ConcurrentHashMap.newKeySet();
    try {
      while (!plan.begin(threads, step -> isDone(hierarchy, step, said)).get()) {
        Thread.sleep(AGAIN_MS);
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
      awaitEnd(threads);
    }
  }

  private static boolean isDone(String hierarchy, GuardStep step, Set<String> said) {
    try {
      return GuardSteps.isDone(step);
    } catch (IOException e) {
      if (said.add(e.getMessage())) {
        log.warn("Ending {}: {}", hierarchy, e.getMessage());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  /** Nothing of it has an effect afterwards. */
  private static void awaitEnd(ExecutorService threads) {
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = threads.awaitTermination(CLOSE_S, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    // With something in service it goes on, and so does the device: the next start takes both over.
    try {
      if (thread.awaitTermination(CLOSE_S, TimeUnit.SECONDS) && watchdog.isIdle()) {
        watchdog.stop();
      }
    } catch (IOException e) {
      String armed = device.isEmpty() ? "" : ", and " + device + " stays armed";
      log.error("The watchdog goes on{}: {}", armed, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
