package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Waiting: by time, by wake-up, and with an interrupt. */
class FlashWaitTest {

  private static final int BLOCK = 4096;
  private static final long SOON_NS = 120_000_000_000L;

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
      assertThat(System.nanoTime() - begin).isBetween(50_000_000L, SOON_NS / 2);
      begin = System.nanoTime();
      assertThat(rig.queue.await(4, 0, Rig::ignore)).isZero();
      assertThat(System.nanoTime() - begin).isLessThan(SOON_NS / 2);
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
        long begin = System.nanoTime();
        assertThat(rig.queue.await(1, SOON_NS, Rig::ignore)).isZero();
        assertThat(System.nanoTime() - begin).isLessThan(SOON_NS / 2);
        begin = System.nanoTime();
        assertThat(rig.queue.await(1, 20_000_000, Rig::ignore)).isZero();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void anotherThreadWakesTheWaitingOwner(Engine engine) throws Exception {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      CompletableFuture<Void> waker =
          CompletableFuture.runAsync(
              rig.queue::wakeup,
              CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)); // it waits by then
      long begin = System.nanoTime();
      assertThat(rig.queue.await(1, SOON_NS, Rig::ignore)).isZero();
      assertThat(System.nanoTime() - begin).isLessThan(SOON_NS / 2);
      waker.get(180, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void awaitReturnsWhenFewerAreInFlightThanAskedFor(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      rig.queue.sync(rig.file, 1);
      rig.queue.sync(rig.file, 2);
      long begin = System.nanoTime();
      assertThat(rig.queue.await(4, SOON_NS, Rig::ignore)).isEqualTo(2);
      assertThat(System.nanoTime() - begin).isLessThan(SOON_NS / 2);
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
