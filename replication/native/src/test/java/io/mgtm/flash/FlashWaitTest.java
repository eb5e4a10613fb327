package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Waiting: by time, by wake-up, and with an interrupt. */
class FlashWaitTest {

  private static final int BLOCK = 4096;
  private static final int ROUNDS = 500;

  /** Longer than the limit of a test: it ends before only by what it waits for. */
  private static final long NEVER_NS = TimeUnit.HOURS.toNanos(1);

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aWaitForNothingEndsInTime(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      long begin = System.nanoTime();
      assertThat(rig.queue.await(1, 50_000_000, Rig::ignore)).isZero();
      assertThat(System.nanoTime() - begin).as("not before").isGreaterThanOrEqualTo(50_000_000);
      assertThat(rig.queue.await(4, 0, Rig::ignore)).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aWakeupEndsTheNextWaitOnce(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      for (int round = 0; round < 5; round++) {
        rig.queue.wakeup();
        rig.queue.wakeup();
        assertThat(rig.queue.poll(Rig::ignore)).isZero();
        assertThat(rig.queue.await(1, NEVER_NS, Rig::ignore)).isZero();
        long begin = System.nanoTime();
        assertThat(rig.queue.await(1, 20_000_000, Rig::ignore)).isZero();
        assertThat(System.nanoTime() - begin).as("not before").isGreaterThanOrEqualTo(20_000_000);
      }
    }
  }

  /** In some rounds it waits already, in others not yet. */
  @ParameterizedTest
  @MethodSource("engines")
  void anotherThreadWakesTheOwner(Engine engine) throws Exception {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      Semaphore waits = new Semaphore(0);
      CompletableFuture<Void> waker =
          CompletableFuture.runAsync(
              () -> {
                for (int round = 0; round < ROUNDS; round++) {
                  waits.acquireUninterruptibly();
                  rig.queue.wakeup();
                }
              });
      for (int round = 0; round < ROUNDS; round++) {
        waits.release();
        assertThat(rig.queue.await(1, NEVER_NS, Rig::ignore)).isZero();
      }
      waker.get(180, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void awaitReturnsWhenFewerAreInFlightThanAskedFor(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      rig.queue.sync(rig.file, 1);
      rig.queue.sync(rig.file, 2);
      assertThat(rig.queue.await(4, NEVER_NS, Rig::ignore)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void anInterruptedOwnerKeepsItsFile(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      AlignedBuffer buffer = rig.buffer();
      for (int i = 0; i < 3; i++) {
        Thread.currentThread().interrupt();
        rig.queue.write(rig.file, i, (long) i * BLOCK, buffer, 0, BLOCK, true);
        rig.done(i, BLOCK);
        assertThat(rig.file.sizeBytes()).isEqualTo((i + 1L) * BLOCK);
        assertThat(Thread.interrupted()).isTrue();
      }
      buffer.release();
    }
  }
}
