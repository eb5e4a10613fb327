package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.flash.Flash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The owner of a store under test: the test's thread, which runs what comes back. */
final class StoreRig {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private int completed;
  private int awaited;
  private StoreException failure;

  /** Opens a file, or skips the test where this way to it does not work. */
  static BackingStore open(IoMode mode, Path path, Executor owner) throws IOException {
    Assumptions.assumeTrue(
        mode == IoMode.CACHE || Flash.available().usable(),
        () -> "SKIPPED: " + Flash.available().reason());
    try {
      return mode.open(path, owner);
    } catch (IOException e) {
      Assumptions.assumeFalse(
          mode == IoMode.DIRECT && String.valueOf(e.getMessage()).contains("direct"),
          "SKIPPED: the temporary folder's file system has no direct I/O");
      throw e;
    }
  }

  Executor owner() {
    return tasks::add;
  }

  BackingStore.Completion completion() {
    return (context, why) -> {
      completed++;
      failure = why;
    };
  }

  int completed() {
    return completed;
  }

  StoreException failure() {
    return failure;
  }

  /** Runs what came back, and waits when there was nothing. */
  void runOne() throws InterruptedException {
    Runnable task = tasks.poll(180, TimeUnit.SECONDS);
    assertThat(task).as("a completion within 20 s").isNotNull();
    task.run();
  }

  /** Waits for the completion of the one call under way; answers its failure, or null. */
  StoreException await() throws InterruptedException {
    awaited++;
    while (completed < awaited) {
      runOne();
    }
    assertThat(completed).as("completions").isEqualTo(awaited);
    return failure;
  }
}
