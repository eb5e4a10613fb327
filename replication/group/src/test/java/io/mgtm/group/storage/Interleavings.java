package io.mgtm.group.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Runs a few threads in every order of their steps, one thread at a time. Each order is a run of
 * its own, from the beginning; it ends when no thread can go on. Memory is the same for all threads
 * at each step, so what only a processor's own order of stores shows does not show here.
 */
final class Interleavings {
  /** One run: makes its threads, and is called by them between their steps. */
  static final class Run {
    private final ExecutorService pool;
    private final Choices choices;
    private final List<Worker> workers = new ArrayList<>();
    private final Semaphore turn = new Semaphore(0);
    private Worker current;
    private boolean over;

    private Run(ExecutorService pool, Choices choices) {
      this.pool = pool;
      this.choices = choices;
    }

    /** Adds a thread; before the run begins. */
    void thread(Runnable body) {
      Worker worker = new Worker();
      workers.add(worker);
      pool.execute(
          () -> {
            worker.go.acquireUninterruptibly();
            try {
              if (!over) {
                body.run();
              }
            } catch (Over e) {
              worker.failure = null;
            } catch (RuntimeException | Error e) {
              worker.failure = e;
            }
            worker.done = true;
            turn.release();
          });
    }

    /** Before a step of the thread that calls. */
    void step() {
      await(() -> true);
    }

    /** Before a step that can only be taken when something holds. */
    void await(BooleanSupplier mayGoOn) {
      Worker self = current;
      self.mayGoOn = mayGoOn;
      turn.release();
      self.go.acquireUninterruptibly();
      if (over) {
        throw new Over();
      }
    }

    private void go() {
      List<Worker> able = able();
      while (!able.isEmpty()) {
        current = able.get(choices.next(able.size()));
        resume(current);
        able = able();
      }
      over = true;
      workers.stream().filter(worker -> !worker.done).forEach(this::resume);
    }

    private List<Worker> able() {
      return workers.stream().filter(w -> !w.done && w.mayGoOn.getAsBoolean()).toList();
    }

    private void resume(Worker worker) {
      worker.go.release();
      turn.acquireUninterruptibly();
      if (worker.failure != null) {
        throw new AssertionError(worker.failure.getMessage(), worker.failure);
      }
    }
  }

  private static final class Worker {
    private final Semaphore go = new Semaphore(0);
    private BooleanSupplier mayGoOn = () -> true;
    private boolean done;
    private Throwable failure;
  }

  /** Ends a thread that waits for what does not come. */
  private static final class Over extends Error {
    private static final long serialVersionUID = 1;

    Over() {
      super("the run is over", null, false, false);
    }
  }

  /** The way down a tree of choices; the next way differs from it as late as possible. */
  private static final class Choices {
    private final List<int[]> way = new ArrayList<>();
    private int depth;

    int next(int of) {
      if (depth == way.size()) {
        way.add(new int[] {0, of});
      }
      int[] choice = way.get(depth++);
      if (choice[1] != of) {
        throw new AssertionError("the threads do not do the same when they run again");
      }
      return choice[0];
    }

    boolean advance() {
      depth = 0;
      while (!way.isEmpty() && ++way.get(way.size() - 1)[0] == way.get(way.size() - 1)[1]) {
        way.remove(way.size() - 1);
      }
      return !way.isEmpty();
    }

    @Override
    public String toString() {
      return way.stream().map(choice -> "" + choice[0]).toList().toString();
    }
  }

  private Interleavings() {}

  /**
   * Runs every order.
   *
   * @param program makes the threads of a run, and says what is to be looked at when it has ended
   * @return how many orders there are
   * @throws AssertionError of the first run that fails
   */
  static int runAll(Function<Run, Runnable> program) {
    ExecutorService pool = Executors.newCachedThreadPool();
    try {
      Choices choices = new Choices();
      int runs = 0;
      do {
        Run run = new Run(pool, choices);
        Runnable end = program.apply(run);
        runs++;
        try {
          run.go();
          end.run();
        } catch (AssertionError e) {
          throw new AssertionError("order " + choices + ": " + e.getMessage(), e);
        }
      } while (choices.advance());
      return runs;
    } finally {
      pool.shutdownNow();
    }
  }
}
