package io.mgtm.ha.node;

import io.mgtm.ha.core.Call;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.KitException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls kits on threads of their own. A call is interrupted at its deadline; that it has ended is
 * told only when its thread has come back, so that nothing of it has an effect afterwards. The
 * owner thread calls, and is told.
 */
final class KitCalls implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KitCalls.class);

  /** So many checks at once; what brings something in or out waits for none of them. */
  private static final int CHECKS_MAX = 256;

  private final BiConsumer<Long, Call.Result> ended;
  private final Timer timer;
  private final int checksMax;
  private final Map<Long, Running> running = new HashMap<>();

  /** Checks that have not begun. */
  private final Deque<Running> waiting = new ArrayDeque<>();

  /** Checks that are under way, and whose time is not over. */
  private int checking;

  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "mgtm-ha-kit");
            thread.setDaemon(true);
            return thread;
          });

  /** Has the owner thread do something after so long. */
  interface Timer {
    void later(long ms, Runnable task);
  }

  /**
   * @param ended told by any thread
   */
  KitCalls(BiConsumer<Long, Call.Result> ended, Timer timer) {
    this(ended, timer, CHECKS_MAX);
  }

  KitCalls(BiConsumer<Long, Call.Result> ended, Timer timer, int checksMax) {
    this.ended = ended;
    this.timer = timer;
    this.checksMax = checksMax;
  }

  /**
   * Begins a call, or has a check wait for its turn.
   *
   * @param limitMs after so long since it has begun it is interrupted
   * @param after what must have happened before it begins
   */
  void begin(Call call, long limitMs, CompletableFuture<?> after, KitWork work) {
    Running task = new Running(call, limitMs, after, work);
    running.put(call.id(), task);
    if (task.isCheck() && checking >= checksMax) {
      waiting.add(task);
    } else {
      start(task);
    }
  }

  private void start(Running task) {
    if (task.isCheck()) {
      checking++;
      task.takesPlace = true;
    }
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      notBegun(task);
      return;
    }
    timer.later(task.limitMs, () -> overdue(task));
  }

  private void notBegun(Running task) {
    task.done.complete(null);
    ended.accept(task.call.id(), failed(task.words() + " was not begun"));
  }

  /** One that hangs in the kernel does not end by that; others do not wait for it any more. */
  private void overdue(Running task) {
    if (running.get(task.call.id()) == task) {
      task.interrupt();
      leave(task);
    }
  }

  private void leave(Running task) {
    if (task.takesPlace) {
      task.takesPlace = false;
      checking--;
      while (checking < checksMax && !waiting.isEmpty()) {
        start(waiting.poll());
      }
    }
  }

  /** Whether a check has not begun, since as many are under way as may be. */
  boolean isWaiting(long id) {
    return !waiting.isEmpty() && waiting.contains(running.get(id));
  }

  /** Interrupts a call before its deadline; done already when it has ended. */
  void interrupt(long id) {
    Running task = running.get(id);
    if (task != null) {
      interrupt(task);
    }
  }

  private void interrupt(Running task) {
    if (waiting.remove(task)) {
      notBegun(task);
    } else {
      task.interrupt();
    }
  }

  /** Interrupts the calls of a hierarchy. */
  void interruptAll(String hierarchy) {
    new ArrayList<>(running.values())
        .stream()
            .filter(task -> task.call.hierarchy().equals(hierarchy))
            .filter(task -> task.call.kind() != Call.Kind.END)
            .forEach(this::interrupt);
  }

  /** Completed when the calls of a hierarchy but one have ended. */
  CompletableFuture<?> ended(String hierarchy, long except) {
    return CompletableFuture.allOf(
        running.values().stream()
            .filter(task -> task.call.hierarchy().equals(hierarchy) && task.call.id() != except)
            .map(task -> task.done)
            .toArray(CompletableFuture[]::new));
  }

  /** Forgets a call that has ended. */
  void forget(long id) {
    Running task = running.remove(id);
    if (task != null) {
      leave(task);
    }
  }

  /** Work that blocks, and ends when it is interrupted. */
  interface KitWork {
    Call.Result run() throws KitException, InterruptedException;
  }

  private static Call.Result failed(String detail) {
    return new Call.Result(ResourceState.FAILED, detail, Map.of());
  }

  /** Calls a kit on this thread. */
  static Call.Result result(Call.Kind kind, Kit kit, KitContext context)
      throws KitException, InterruptedException {
    switch (kind) {
      case IN_SERVICE -> kit.inService(context);
      case OUT_OF_SERVICE -> takeOut(kit, context);
      case RECOVER -> kit.localRecover(context);
      case QUICK_CHECK -> {
        return checked(kit.quickCheck(context), kit, context);
      }
      case DEEP_CHECK -> {
        return checked(kit.deepCheck(context), kit, context);
      }
      case END -> throw new IllegalArgumentException("END is no call of a kit");
    }
    boolean out = kind == Call.Kind.OUT_OF_SERVICE;
    return new Call.Result(
        out ? ResourceState.OUT : ResourceState.IN, "", out ? Map.of() : kit.data(context));
  }

  /** What says that it has taken something out may not have: another node is about to have it. */
  private static void takeOut(Kit kit, KitContext context)
      throws KitException, InterruptedException {
    kit.outOfService(context);
    Kit.Health after = kit.quickCheck(context);
    if (after.state() == Kit.Health.State.IN_SERVICE) {
      throw new KitException(
          "it was taken out without an error, and is in service still: " + after.detail());
    }
  }

  private static Call.Result checked(Kit.Health health, Kit kit, KitContext context)
      throws KitException, InterruptedException {
    ResourceState state =
        switch (health.state()) {
          case IN_SERVICE -> ResourceState.IN;
          case OUT_OF_SERVICE -> ResourceState.OUT;
          case FAILED -> ResourceState.FAILED;
        };
    return new Call.Result(state, health.detail(), kit.data(context));
  }

  /** One call on its thread. */
  private final class Running implements Runnable {
    private final Call call;
    private final long limitMs;
    private final CompletableFuture<?> after;
    private final KitWork work;
    private final CompletableFuture<?> done = new CompletableFuture<>();
    private Thread thread;
    private boolean interrupted;

    /** Of the checks that are counted; the owner thread's. */
    private boolean takesPlace;

    Running(Call call, long limitMs, CompletableFuture<?> after, KitWork work) {
      this.call = call;
      this.limitMs = limitMs;
      this.after = after;
      this.work = work;
    }

    @Override
    public void run() {
      synchronized (this) {
        thread = Thread.currentThread();
        if (interrupted) {
          thread.interrupt();
        }
      }
      Call.Result result = outcome();
      synchronized (this) {
        thread = null;
      }
      // Of this call; the thread goes on with others.
      Thread.interrupted();
      done.complete(null);
      ended.accept(call.id(), result);
    }

    private Call.Result outcome() {
      try {
        after.get();
        if (Thread.currentThread().isInterrupted()) {
          // Also one that had not begun: nothing of it may have an effect any more.
          throw new InterruptedException();
        }
        return work.run();
      } catch (KitException e) {
        return failed(e.getMessage());
      } catch (InterruptedException e) {
        return failed("%s did not end in its time".formatted(words()));
      } catch (ExecutionException e) {
        return failed("%s was not begun: %s".formatted(words(), e.getCause().getMessage()));
      } catch (RuntimeException | Error e) {
        log.error("{} of {} {} failed unexpectedly", words(), call.hierarchy(), call.resource(), e);
        return failed("%s failed unexpectedly: %s".formatted(words(), e));
      }
    }

    private boolean isCheck() {
      return call.kind() == Call.Kind.QUICK_CHECK || call.kind() == Call.Kind.DEEP_CHECK;
    }

    private String words() {
      return call.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private synchronized void interrupt() {
      interrupted = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /** Ends all calls, for a bounded time. Any thread. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
        log.warn("Calls of kits have not ended in 5 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
