package io.mgtm.ha.node;

import io.mgtm.ha.core.FenceAnswer;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Programs;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs fence agents on threads of their own, each for its agent's time at most. The owner thread
 * asks; answers are told by those threads, each once.
 */
final class FenceRuns implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FenceRuns.class);
  private static final int RUNS_MAX = 8;
  private static final int CLOSE_S = 5;

  private final Map<String, FenceAgent> agents;
  private final Path notes;
  private final Consumer<FenceAnswer> answered;
  private final Map<Long, Future<?>> running = new HashMap<>();
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          RUNS_MAX,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          new DefaultThreadFactory("mgtm-ha-fence", true));

  /** Completed when nothing runs any more of what an earlier controller had asked for. */
  private final CompletableFuture<Void> formerEnded;

  private FenceRuns(Map<String, FenceAgent> agents, Path notes, Consumer<FenceAnswer> answered) {
    this.agents = Map.copyOf(agents);
    this.notes = notes;
    this.answered = answered;
    this.formerEnded = CompletableFuture.runAsync(this::endFormer, threads);
  }

  /**
   * Ends what an earlier controller has left under way, and waits for requests.
   *
   * @param agents by the node that each switches off
   * @param notes a folder for notes of what runs
   * @param answered told by any thread
   */
  static FenceRuns start(
      Map<String, FenceAgent> agents, Path notes, Consumer<FenceAnswer> answered) {
    agents.forEach(
        (node, agent) -> {
          if (!agent.isHere()) {
            log.warn("Node {} cannot be fenced from here: no program {}", node, agent.agent());
          }
        });
    return new FenceRuns(agents, notes, answered);
  }

  private void endFormer() {
    try {
      Programs.endFormer(notes);
    } catch (KitException e) {
      throw new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** Has a node switched off, if there is an agent for it; otherwise there is no answer. */
  void begin(long request, String node) {
    FenceAgent agent = agents.get(node);
    if (agent == null) {
      return;
    }
    log.info("Fencing node {} by {}", node, agent.agent());
    running.values().removeIf(Future::isDone);
    try {
      running.put(request, threads.submit(() -> run(request, node, agent)));
    } catch (RejectedExecutionException e) {
      tell(new FenceAnswer(request, node, false, agent.agent() + ": too many agents run"));
    }
  }

  private void run(long request, String node, FenceAgent agent) {
    long began = System.nanoTime();
    String failed = "";
    try {
      formerEnded.get();
      agent.switchOff(node, notes);
    } catch (KitException e) {
      failed = e.getMessage();
    } catch (ExecutionException e) {
      failed = e.getCause().getMessage();
    } catch (InterruptedException e) {
      failed = "ended, since " + node + " is back or this controller leads no more";
    } catch (RuntimeException e) {
      log.error("The fence agent of {} failed unexpectedly", node, e);
      failed = "failed unexpectedly: " + e.getClass().getSimpleName();
    }
    long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    boolean off = failed.isEmpty();
    String how = off ? "%s in %d ms" : "%s after %d ms: %s";
    tell(new FenceAnswer(request, node, off, how.formatted(agent.agent(), ms, failed)));
  }

  private void tell(FenceAnswer answer) {
    if (answer.off()) {
      log.info("Node {} has been switched off by {}", answer.node(), answer.how());
    } else {
      log.warn("Node {} has not been switched off by {}", answer.node(), answer.how());
    }
    answered.accept(answer);
  }

  /** Ends an agent early. */
  void end(long request) {
    Future<?> run = running.remove(request);
    if (run != null) {
      run.cancel(true);
    }
  }

  /** Ends all, for a bounded time. Any thread. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(CLOSE_S, TimeUnit.SECONDS)) {
        log.warn("Fence agents have not ended in {} s", CLOSE_S);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
