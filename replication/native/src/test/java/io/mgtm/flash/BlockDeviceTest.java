package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.jni.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real block device under every engine; skipped where no loop device can be made. */
class BlockDeviceTest {

  private static final int BLOCK = 4096;
  private static final int SIZE = 8 << 20;

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void readsWritesZeroesAndTellsItsSize(Engine engine) throws IOException {
    Path backing = Files.write(folder.resolve("backing"), new byte[SIZE]);
    try (LoopDevice loop = LoopDevice.over(backing);
        FlashFile file = Flash.open(loop.device, engine.options());
        BufferPool pool = BufferPool.of(1, BLOCK);
        FlashQueue queue = Flash.openQueue(2, List.of(file), List.of(pool))) {
      assertThat(file.blockDevice()).isTrue();
      assertThat(file.sizeBytes()).isEqualTo(SIZE);
      assertThat(file.blockBytes()).isIn(512, 4096);
      assertThat(file.direct()).isEqualTo(engine.direct() != DirectIo.OFF);
      assertThat(file.nextData(BLOCK)).isEqualTo(BLOCK);
      assertThat(file.nextHole(0)).isEqualTo(SIZE);
      assertThatThrownBy(() -> file.resize(2 * SIZE))
          .isInstanceOfSatisfying(
              FlashException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
      AlignedBuffer buffer = pool.tryAcquire();
      for (ZeroMode mode : new ZeroMode[] {ZeroMode.ALLOCATE, ZeroMode.UNMAP}) {
        buffer.bytes().put(0, (byte) 7);
        queue.write(file, 1, SIZE - BLOCK, buffer, 0, BLOCK, true);
        assertThat(outcome(queue)).isNull();
        queue.zero(file, 2, SIZE - BLOCK, BLOCK, mode);
        assertThat(outcome(queue)).isNull();
        queue.read(file, 3, SIZE - BLOCK, buffer, 0, BLOCK);
        assertThat(outcome(queue)).isNull();
        assertThat(buffer.bytes().get(0)).isZero();
      }
      queue.discard(file, 4, 0, SIZE / 2);
      FlashException error = outcome(queue);
      assertThat(error == null || error.errno() == Errno.EOPNOTSUPP).isTrue();
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aWriteThatDoesNotFitSaysSo(Engine engine) throws IOException {
    Path backing = Files.write(folder.resolve("backing"), new byte[SIZE]);
    try (LoopDevice loop = LoopDevice.over(backing);
        FlashFile file = Flash.open(loop.device, engine.options());
        BufferPool pool = BufferPool.of(1, 2 * BLOCK);
        FlashQueue queue = Flash.openQueue(2, List.of(file), List.of(pool))) {
      AlignedBuffer buffer = pool.tryAcquire();
      queue.write(file, 1, SIZE - BLOCK, buffer, 0, 2 * BLOCK, false);
      FlashException error = outcome(queue);
      assertThat(error.errno()).isEqualTo(Errno.ENOSPC);
      assertThat(error.offset()).isEqualTo(SIZE);
      assertThat(error.lengthBytes()).isEqualTo(BLOCK);
      buffer.release();
    }
  }

  private static FlashException outcome(FlashQueue queue) throws FlashException {
    FlashException[] outcome = new FlashException[1];
    assertThat(queue.await(1, 180_000_000_000L, (tag, bytes, error) -> outcome[0] = error))
        .isEqualTo(1);
    return outcome[0];
  }
}
