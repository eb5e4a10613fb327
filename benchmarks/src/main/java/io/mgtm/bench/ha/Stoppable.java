package io.mgtm.bench.ha;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Work that Ctrl-C ends, and that takes down what it put up before the process ends. */
public final class Stoppable {
  /** What shells say of a program that Ctrl-C has ended. */
  private static final int STOPPED = 130;

  private static final int END_SECONDS = 60;

  /** Ctrl-C ends the programs that are waited for too, perhaps before this process hears of it. */
  private static final int HEAR_MS = 500;

  private Stoppable() {}

  /** The work; answers the exit status. */
  @FunctionalInterface
  public interface Work {
    int run() throws IOException, InterruptedException;
  }

  /** Does the work on this thread, which a signal interrupts. */
  public static int run(Work work) throws IOException {
    CountDownLatch stopping = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread worker = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(worker, stopping, ended)));
    try {
      return work.run();
    } catch (InterruptedException e) {
      return STOPPED;
    } catch (IOException e) {
      if (isStopping(stopping)) {
        return STOPPED;
      }
      throw e;
    } finally {
      ended.countDown();
    }
  }

  private static boolean isStopping(CountDownLatch stopping) {
    try {
      return stopping.await(HEAR_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static void stop(Thread worker, CountDownLatch stopping, CountDownLatch ended) {
    stopping.countDown();
    if (ended.getCount() == 0) {
      return;
    }
    worker.interrupt();
    try {
      if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("mgtm: not all was removed in " + END_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
