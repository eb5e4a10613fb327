package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every wrong use is an exception in Java, and the queue goes on after it. */
class FlashMisuseTest {

  private static final int BLOCK = 4096;
  private static final long SOON_NS = 180_000_000_000L;

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void argumentsOutOfRangeAreRefusedAndNothingIsPrepared(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 8 * BLOCK);
        BufferPool foreignPool = BufferPool.of(1, BLOCK)) {
      AlignedBuffer own = rig.buffer();
      AlignedBuffer foreign = foreignPool.tryAcquire();
      FlashQueue queue = rig.queue;
      illegal(() -> queue.read(rig.file, 1, 0, foreign, 0, BLOCK));
      illegal(() -> queue.read(rig.file, 1, -BLOCK, own, 0, BLOCK));
      illegal(() -> queue.read(rig.file, 1, 0, own, 0, 0));
      illegal(() -> queue.write(rig.file, 1, Long.MAX_VALUE - 4095, own, 0, 8192, false));
      outside(() -> queue.read(rig.file, 1, 0, own, 0, 8193));
      outside(() -> queue.read(rig.file, 1, 0, own, 8192, 1));
      outside(() -> queue.write(rig.file, 1, 0, own, -1, BLOCK, false));
      outside(() -> queue.write(rig.file, 1, 0, own, Integer.MAX_VALUE, BLOCK, false));
      outside(() -> queue.write(rig.file, 1, 0, own, 0, Integer.MIN_VALUE, false));
      illegal(() -> queue.discard(rig.file, 1, 0, 9 * BLOCK));
      illegal(() -> queue.zero(rig.file, 1, 8 * BLOCK, BLOCK, ZeroMode.UNMAP));
      illegal(() -> queue.zero(rig.file, 1, 0, 0, ZeroMode.UNMAP));
      illegal(() -> queue.await(0, 1, Rig::ignore));
      illegal(() -> queue.await(5, 1, Rig::ignore));
      illegal(() -> queue.await(1, -1, Rig::ignore));
      assertThatThrownBy(() -> queue.read(rig.file, 1, 0, null, 0, BLOCK))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> queue.read(null, 1, 0, own, 0, BLOCK))
          .isInstanceOf(NullPointerException.class);
      illegal(() -> queue.readVector(rig.file, 1, 0, new IoVector()));
      illegal(() -> queue.readVector(rig.file, 1, 0, new IoVector().add(foreign, 0, BLOCK)));
      assertThat(queue.inFlight()).isZero();
      queue.read(rig.file, 9, 0, own, 0, BLOCK);
      rig.done(9, BLOCK);
      own.release();
      foreign.release();
      assertThat(rig.pool.available()).isEqualTo(rig.pool.count());
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void whatIsNotAlignedIsRefusedWhereItMatters(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 8 * BLOCK)) {
      AlignedBuffer own = rig.buffer();
      if (rig.file.direct()) {
        illegal(() -> rig.queue.read(rig.file, 1, 1, own, 0, BLOCK));
        illegal(() -> rig.queue.read(rig.file, 1, 0, own, 1, BLOCK));
        illegal(() -> rig.queue.write(rig.file, 1, 0, own, 0, 100, false));
        IoVector vector = new IoVector().add(own, 1, BLOCK - 1).add(own, 0, 1);
        illegal(() -> rig.queue.writeVector(rig.file, 1, 0, vector, false));
      } else {
        rig.queue.write(rig.file, 1, 1, own, 3, 100, false);
        rig.done(1, 100);
      }
      assertThat(rig.queue.inFlight()).isZero();
      own.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void releasedBuffersClosedFilesAndFullQueuesAreRefused(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 2, 8 * BLOCK)) {
      AlignedBuffer released = rig.buffer();
      AlignedBuffer own = rig.buffer();
      released.release();
      state(released::release);
      state(released::retain);
      state(released::bytes);
      state(() -> rig.queue.read(rig.file, 1, 0, released, 0, BLOCK));
      IoVector vector = new IoVector().add(own, 0, BLOCK).add(released, 0, BLOCK);
      state(() -> rig.queue.readVector(rig.file, 1, 0, vector));
      assertThat(own.references()).isEqualTo(1);
      rig.queue.read(rig.file, 1, 0, own, 0, BLOCK);
      rig.queue.read(rig.file, 2, 0, own, 0, BLOCK);
      assertThatThrownBy(() -> rig.queue.sync(rig.file, 3)).hasMessageContaining("in flight");
      rig.file.close();
      rig.file.close();
      assertThat(rig.queue.await(2, SOON_NS, (tag, bytes, error) -> assertThat(error).isNull()))
          .isEqualTo(2);
      assertThatThrownBy(() -> rig.queue.sync(rig.file, 3)).hasMessageContaining("closed");
      state(rig.file::sizeBytes);
      state(rig.file::sync);
      state(() -> rig.file.resize(1));
      state(() -> Flash.openQueue(1, List.of(rig.file), List.of()));
      own.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aFileForReadingIsNotWritten(Engine engine) throws IOException {
    Path path = folder.resolve("read");
    Files.write(path, new byte[BLOCK]);
    FlashOptions options = engine.options();
    FlashOptions readOnly = new FlashOptions(false, false, options.direct(), options.engine());
    try (FlashFile file = Flash.open(path, readOnly);
        BufferPool pool = BufferPool.of(1, BLOCK);
        FlashQueue queue = Flash.openQueue(1, List.of(file), List.of(pool))) {
      AlignedBuffer own = pool.tryAcquire();
      state(() -> queue.write(file, 1, 0, own, 0, BLOCK, false));
      state(() -> queue.zero(file, 1, 0, BLOCK, ZeroMode.UNMAP));
      state(() -> queue.discard(file, 1, 0, BLOCK));
      assertThatThrownBy(() -> file.resize(0)).isInstanceOf(FlashException.class);
      queue.read(file, 1, 0, own, 0, BLOCK);
      assertThat(queue.await(1, SOON_NS, (tag, bytes, error) -> assertThat(bytes).isEqualTo(BLOCK)))
          .isEqualTo(1);
      own.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aClosedQueueRefusesEverythingAndGivesItsBuffersBack(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 8, 8 * BLOCK)) {
      AlignedBuffer own = rig.buffer();
      rig.queue.write(rig.file, 1, 0, own, 0, BLOCK, false);
      rig.queue.submit();
      rig.queue.write(rig.file, 2, 0, own, 0, BLOCK, false);
      own.release();
      rig.queue.close();
      rig.queue.close();
      assertThat(rig.queue.closed()).isTrue();
      assertThat(rig.pool.available()).isEqualTo(rig.pool.count());
      AlignedBuffer other = rig.buffer();
      state(() -> rig.queue.write(rig.file, 1, 0, other, 0, BLOCK, false));
      state(() -> rig.queue.poll(Rig::ignore));
      state(() -> rig.queue.await(1, 1, Rig::ignore));
      state(() -> rig.queue.submit());
      rig.queue.wakeup();
      other.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aCompletionMayNotWaitOrClose(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 2, 8 * BLOCK)) {
      rig.queue.sync(rig.file, 1);
      assertThatThrownBy(
              () -> rig.queue.await(1, SOON_NS, (tag, bytes, error) -> rig.queue.close()))
          .isInstanceOf(IllegalStateException.class);
      rig.queue.sync(rig.file, 2);
      assertThatThrownBy(
              () -> rig.queue.await(1, SOON_NS, (tag, bytes, error) -> submit(rig.queue)))
          .isInstanceOf(IllegalStateException.class);
      rig.queue.sync(rig.file, 3);
      rig.done(3, 0);
    }
  }

  private static void submit(FlashQueue queue) {
    try {
      queue.submit();
    } catch (FlashException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void onlyItsOwnerUsesAQueueAndAnHeirClosesIt(Engine engine) throws Exception {
    Rig rig = new Rig(engine, folder, 2, 8 * BLOCK);
    rig.queue.sync(rig.file, 1);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> rig.queue.sync(rig.file, 2),
            () -> rig.queue.poll(Rig::ignore),
            () -> rig.queue.close())) {
      inThread(() -> assertThatThrownBy(use).hasMessageContaining("belongs to thread"));
    }
    rig.done(1, 0);
    rig.close();

    FlashQueue[] left = new FlashQueue[1];
    try (BufferPool pool = BufferPool.of(1, BLOCK);
        FlashFile file = Flash.open(folder.resolve("other"), engine.options().creating())) {
      inThread(
          () -> {
            left[0] = Flash.openQueue(2, List.of(file), List.of(pool));
            AlignedBuffer buffer = pool.tryAcquire();
            left[0].write(file, 1, 0, buffer, 0, BLOCK, true);
            left[0].submit();
            buffer.release();
          });
      assertThatThrownBy(() -> left[0].poll(Rig::ignore)).isInstanceOf(IllegalStateException.class);
      left[0].close();
      assertThat(pool.available()).isEqualTo(1);
    }
  }

  /** Threads that close, use and wake at the same time get exceptions or results, nothing else. */
  @ParameterizedTest
  @MethodSource("engines")
  void closingWhileOthersUseItDoesNoHarm(Engine engine) throws Exception {
    for (int round = 0; round < 30; round++) {
      Rig rig = new Rig(engine, folder, 4, 8 * BLOCK);
      rig.queue.poll(Rig::ignore); // makes this thread the owner
      CountDownLatch started = new CountDownLatch(2);
      AtomicInteger sizes = new AtomicInteger();
      CompletableFuture<Void> asker =
          CompletableFuture.runAsync(
              () -> {
                started.countDown();
                try {
                  while (true) {
                    rig.file.sizeBytes();
                    rig.file.sync();
                    sizes.incrementAndGet();
                  }
                } catch (IllegalStateException e) {
                  assertThat(e).hasMessageContaining("closed");
                } catch (FlashException e) {
                  throw new AssertionError(e);
                }
              });
      CompletableFuture<Void> waker =
          CompletableFuture.runAsync(
              () -> {
                started.countDown();
                while (!rig.queue.closed()) {
                  rig.queue.wakeup();
                  try {
                    rig.queue.close(); // does nothing when its owner has closed it meanwhile
                  } catch (IllegalStateException e) {
                    assertThat(e).hasMessageContaining("belongs to thread");
                  }
                }
                rig.queue.wakeup();
              });
      assertThat(started.await(180, TimeUnit.SECONDS)).isTrue();
      AlignedBuffer buffer = rig.buffer();
      for (int i = 0; i < 20; i++) {
        if (rig.queue.free() > 0) {
          rig.queue.write(rig.file, i, 0, buffer, 0, BLOCK, false);
        }
        rig.queue.await(1, SOON_NS, Rig::ignore);
        rig.queue.await(4, 1_000_000, Rig::ignore);
      }
      buffer.release();
      rig.close();
      asker.get(180, TimeUnit.SECONDS);
      waker.get(180, TimeUnit.SECONDS);
      assertThat(rig.pool.available()).isEqualTo(rig.pool.count());
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private static void inThread(Action action)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    thread.start();
    thread.join(180_000);
    done.get(1, TimeUnit.SECONDS);
  }

  private static void illegal(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
  }

  private static void outside(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static void state(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalStateException.class);
  }
}
