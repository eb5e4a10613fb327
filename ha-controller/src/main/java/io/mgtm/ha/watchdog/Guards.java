package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.watchdog.GuardFile.Guarded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Does the guard steps of hierarchies: side by side, those of one as its plan says, again and
 * again. A step that hangs, on a file system for example, is left behind and holds up no other; it
 * is not begun again before it has ended, so that there are never more threads than steps. Called
 * by the watchdog's thread.
 */
final class Guards {
  private static final int KILL_MS = 300;
  private static final long AGAIN_MS = 1_000;

  /** Of the log, for each end of a lease. */
  private static final int SENTENCES_MAX = 500;

  private static final int SENTENCE_CHARS_MAX = 1_000;

  private final ExecutorService threads;
  private final Predicate<String> expired;
  private final Consumer<String> log;
  private final Map<String, Pass> passes = new HashMap<>();
  private final Map<GuardStep, CompletableFuture<Boolean>> begun = new HashMap<>();
  private final Set<String> said = new HashSet<>();

  /** One time through a hierarchy's steps. */
  private record Pass(GuardPlan plan, CompletableFuture<Boolean> clean, long beganNanos) {}

  /**
   * Makes one.
   *
   * @param expired whether a hierarchy is still to be ended; asked before each step
   */
  Guards(ExecutorService threads, Predicate<String> expired, Consumer<String> log) {
    this.threads = threads;
    this.expired = expired;
    this.log = log;
  }

  /**
   * Begins what is to be done now and does not wait for it.
   *
   * @return whether the last pass through each hierarchy found nothing left
   */
  boolean pass(Map<String, Guarded> hierarchies) {
    passes.keySet().retainAll(hierarchies.keySet());
    boolean clean = true;
    for (Map.Entry<String, Guarded> one : hierarchies.entrySet()) {
      Pass last = passes.get(one.getKey());
      boolean same = last != null && last.plan.equals(one.getValue().plan());
      boolean wasClean = same && last.clean.getNow(false);
      clean &= wasClean;
      boolean running = last != null && !last.clean.isDone();
      if (!running && !(wasClean && isRecent(last))) {
        passes.put(one.getKey(), begin(one.getKey(), one.getValue().plan()));
      }
    }
    return clean;
  }

  private static boolean isRecent(Pass pass) {
    return System.nanoTime() - pass.beganNanos < TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);
  }

  private Pass begin(String name, GuardPlan plan) {
    CompletableFuture<Boolean> clean =
        plan.begin(threads, step -> expired.test(name) && isDone(name, step));
    clean.thenAccept(
        nothingLeft -> {
          if (nothingLeft) {
            say("nothing is left of " + name);
          }
        });
    return new Pass(plan, clean, System.nanoTime());
  }

  private boolean isDone(String name, GuardStep step) {
    long limitMs = step instanceof GuardStep.Run run ? run.deadlineMs() + KILL_MS : KILL_MS;
    try {
      return run(step).get(limitMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      say("%s: %s hangs; going on without it".formatted(name, step));
    } catch (ExecutionException e) {
      say("%s: %s failed: %s".formatted(name, step, e.getCause().getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private CompletableFuture<Boolean> run(GuardStep step) {
    synchronized (begun) {
      begun.values().removeIf(CompletableFuture::isDone);
      return begun.computeIfAbsent(step, this::runNow);
    }
  }

  private CompletableFuture<Boolean> runNow(GuardStep step) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return GuardSteps.isDone(step);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
          }
        },
        threads);
  }

  /** A lease has ended: what was said before may be said again. */
  void sayAnew() {
    synchronized (said) {
      said.clear();
    }
  }

  /** Each sentence once for each end of a lease, and not more of them than somebody reads. */
  private void say(String sentence) {
    String kept = sentence.substring(0, Math.min(sentence.length(), SENTENCE_CHARS_MAX));
    synchronized (said) {
      if (said.size() < SENTENCES_MAX && said.add(kept)) {
        log.accept(kept);
        if (said.size() == SENTENCES_MAX) {
          log.accept("more is not said until another lease has ended");
        }
      }
    }
  }
}
