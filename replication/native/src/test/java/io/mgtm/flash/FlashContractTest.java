package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.jni.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every engine does alike, direct and through the page cache. */
class FlashContractTest {

  private static final int BLOCK = 4096;
  private static final long SOON_NS = 180_000_000_000L;

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void readsBackWhatWasWritten(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 8, 16 * BLOCK)) {
      Random random = new Random(7);
      for (int i = 0; i < 8; i++) {
        AlignedBuffer buffer = rig.buffer();
        random.nextBytes(rig.bytes);
        buffer.bytes().put(0, rig.bytes);
        rig.queue.write(rig.file, i, (long) i * BLOCK, buffer, 0, BLOCK, i % 2 == 0);
        rig.done(i, BLOCK);
        buffer.bytes().put(0, new byte[BLOCK]);
        rig.queue.read(rig.file, 100 + i, (long) i * BLOCK, buffer, 0, BLOCK);
        rig.done(100 + i, BLOCK);
        assertThat(Rig.copy(buffer, BLOCK)).isEqualTo(rig.bytes);
        buffer.release();
      }
      assertThat(Files.size(rig.path)).isEqualTo(16 * BLOCK);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void carriesOutAWholeBatchInOneCall(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 32, 0)) {
      for (int i = 0; i < 32; i++) {
        AlignedBuffer buffer = rig.buffer();
        buffer.bytes().putInt(0, i);
        rig.queue.write(rig.file, i, (long) i * BLOCK, buffer, 0, BLOCK, false);
        buffer.release();
      }
      assertThat(rig.queue.inFlight()).isEqualTo(32);
      assertThat(rig.queue.free()).isZero();
      Map<Long, Integer> seen = new HashMap<>();
      int delivered = rig.queue.await(32, SOON_NS, (tag, bytes, error) -> seen.put(tag, bytes));
      assertThat(delivered).isEqualTo(32);
      assertThat(seen).hasSize(32).allSatisfy((tag, bytes) -> assertThat(bytes).isEqualTo(BLOCK));
      assertThat(rig.pool.available()).isEqualTo(rig.pool.count());
      ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(rig.path)).order(ByteOrder.BIG_ENDIAN);
      for (int i = 0; i < 32; i++) {
        assertThat(all.getInt(i * BLOCK)).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  @DisplayName("a vector gathers its pieces in order and scatters them again")
  void vectorsKeepTheirOrder(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      IoVector vector = new IoVector();
      AlignedBuffer[] buffers = new AlignedBuffer[5];
      for (int i = 0; i < 5; i++) {
        buffers[i] = rig.buffer();
        for (int at = 0; at < buffers[i].capacityBytes(); at++) {
          buffers[i].bytes().put(at, (byte) (i + 1));
        }
        vector.add(buffers[i], i % 2 == 0 ? 0 : BLOCK, BLOCK);
      }
      rig.queue.writeVector(rig.file, 1, BLOCK, vector, true);
      rig.done(1, 5 * BLOCK);
      byte[] all = Files.readAllBytes(rig.path);
      for (int i = 0; i < 5; i++) {
        assertThat(all[BLOCK + i * BLOCK]).isEqualTo((byte) (i + 1));
        assertThat(all[BLOCK + i * BLOCK + BLOCK - 1]).isEqualTo((byte) (i + 1));
      }
      vector.clear();
      for (int i = 4; i >= 0; i--) {
        vector.add(buffers[i], 0, BLOCK);
      }
      rig.queue.readVector(rig.file, 2, BLOCK, vector);
      rig.done(2, 5 * BLOCK);
      for (int i = 0; i < 5; i++) {
        assertThat(buffers[4 - i].bytes().get(17)).isEqualTo((byte) (i + 1));
      }
      for (AlignedBuffer buffer : buffers) {
        buffer.release();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aReadThatMeetsTheEndIsShort(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 3 * BLOCK)) {
      AlignedBuffer buffer = rig.buffer();
      rig.queue.read(rig.file, 1, 2 * BLOCK, buffer, 0, 2 * BLOCK);
      rig.done(1, BLOCK);
      rig.queue.read(rig.file, 2, 3 * BLOCK, buffer, 0, BLOCK);
      rig.done(2, 0);
      rig.file.resize(BLOCK + 100);
      rig.queue.read(rig.file, 3, BLOCK, buffer, 0, BLOCK);
      rig.done(3, 100);
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void discardedAndZeroedRangesReadAsZeros(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      AlignedBuffer buffer = rig.buffer();
      for (ZeroMode mode : new ZeroMode[] {null, ZeroMode.ALLOCATE, ZeroMode.UNMAP}) {
        for (int i = 0; i < 4; i++) {
          rig.fill(buffer, (byte) 9);
          rig.queue.write(rig.file, i, (long) i * BLOCK, buffer, 0, BLOCK, false);
          rig.done(i, BLOCK);
        }
        if (mode == null) {
          rig.queue.discard(rig.file, 50, BLOCK, 2 * BLOCK);
        } else {
          rig.queue.zero(rig.file, 50, BLOCK, 2 * BLOCK, mode);
        }
        rig.done(50, 0);
        byte[] all = Files.readAllBytes(rig.path);
        assertThat(all).hasSize(4 * BLOCK);
        for (int at = 0; at < all.length; at++) {
          assertThat(all[at]).isEqualTo((byte) (at / BLOCK == 1 || at / BLOCK == 2 ? 0 : 9));
        }
      }
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void whatIsZeroedTwiceIsZeroAndNothingElse(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      byte[] filled = new byte[64 * BLOCK];
      Arrays.fill(filled, (byte) 7);
      Files.write(rig.path, filled);
      int from = rig.file.direct() ? BLOCK : 1_000;
      int length = rig.file.direct() ? 40 * BLOCK : 150_001;
      for (int i = 0; i < 2; i++) {
        rig.queue.zero(rig.file, i, from, length, ZeroMode.UNMAP);
        rig.done(i, 0);
      }
      Arrays.fill(filled, from, from + length, (byte) 0);
      assertThat(Files.readAllBytes(rig.path)).isEqualTo(filled);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aFastZeroSucceedsWithZerosOrSaysThatItCannot(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      AlignedBuffer buffer = rig.buffer();
      rig.fill(buffer, (byte) 9);
      rig.queue.write(rig.file, 1, 0, buffer, 0, BLOCK, false);
      rig.done(1, BLOCK);
      rig.queue.zero(rig.file, 2, 0, BLOCK, ZeroMode.UNMAP_FAST);
      FlashException error = rig.outcome(2).error();
      if (error == null) {
        assertThat(Files.readAllBytes(rig.path)).containsOnly(0);
      } else {
        assertThat(error.errno()).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(Files.readAllBytes(rig.path)).containsOnly(9);
      }
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void syncsAndResizes(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 0)) {
      rig.file.resize(10 * BLOCK);
      assertThat(rig.file.sizeBytes()).isEqualTo(10 * BLOCK);
      rig.queue.sync(rig.file, 1);
      rig.done(1, 0);
      rig.file.sync();
      rig.file.resize(BLOCK);
      assertThat(Files.size(rig.path)).isEqualTo(BLOCK);
      assertThat(rig.file.blockDevice()).isFalse();
      assertThat(rig.file.blockBytes()).isPositive();
      assertThat(rig.file.direct())
          .isEqualTo(engine.direct() != DirectIo.OFF && rig.file.alignmentBytes() > 1);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void tellsDataFromHolesOrCallsAllOfItData(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 1 << 20)) {
      AlignedBuffer buffer = rig.buffer();
      rig.fill(buffer, (byte) 9);
      rig.queue.write(rig.file, 1, 512 << 10, buffer, 0, BLOCK, true);
      rig.done(1, BLOCK);
      buffer.release();
      long data = rig.file.nextData(0);
      assertThat(data).isLessThanOrEqualTo(512 << 10);
      assertThat(rig.file.nextHole(data)).isGreaterThanOrEqualTo((512 << 10) + BLOCK);
      assertThat(rig.file.nextHole(0)).isIn(0L, 1L << 20);
      assertThat(rig.file.nextData(2 << 20)).isEqualTo(1 << 20);
      assertThat(rig.file.nextHole(2 << 20)).isEqualTo(1 << 20);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aCompletionMayPrepareTheNextOperation(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 1, 0)) {
      AlignedBuffer buffer = rig.buffer();
      int[] count = {0};
      FlashCompletion chain =
          (tag, bytes, error) -> {
            assertThat(error).isNull();
            if (++count[0] < 10) {
              rig.queue.write(rig.file, tag, (long) count[0] * BLOCK, buffer, 0, BLOCK, false);
            }
          };
      rig.queue.write(rig.file, 1, 0, buffer, 0, BLOCK, false);
      while (rig.queue.inFlight() > 0) {
        assertThat(rig.queue.await(1, SOON_NS, chain)).isEqualTo(1);
      }
      assertThat(count[0]).isEqualTo(10);
      assertThat(Files.size(rig.path)).isEqualTo(10 * BLOCK);
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aThrowingCompletionLosesNoOther(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 8, 0)) {
      for (int i = 0; i < 8; i++) {
        AlignedBuffer buffer = rig.buffer();
        rig.queue.write(rig.file, i, (long) i * BLOCK, buffer, 0, BLOCK, false);
        buffer.release();
      }
      Set<Long> seen = new HashSet<>();
      int thrown = 0;
      while (rig.queue.inFlight() > 0) {
        try {
          rig.queue.await(
              8,
              SOON_NS,
              (tag, bytes, error) -> {
                seen.add(tag);
                throw new UnsupportedOperationException("planted");
              });
        } catch (UnsupportedOperationException e) {
          thrown++;
        }
      }
      assertThat(seen).hasSize(8);
      assertThat(thrown).isEqualTo(8);
      assertThat(rig.pool.available()).isEqualTo(rig.pool.count());
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void severalFilesShareOneQueue(Engine engine) throws IOException {
    Path other = folder.resolve("other");
    FlashOptions options = engine.options().creating();
    try (BufferPool pool = BufferPool.of(2, BLOCK);
        FlashFile a = Flash.open(folder.resolve("a"), options);
        FlashFile b = Flash.open(other, options);
        FlashQueue queue = Flash.openQueue(4, List.of(a, b), List.of(pool))) {
      AlignedBuffer buffer = pool.tryAcquire();
      buffer.bytes().put(0, (byte) 3);
      queue.write(b, 1, 0, buffer, 0, BLOCK, false);
      queue.write(a, 2, BLOCK, buffer, 0, BLOCK, false);
      assertThat(queue.await(2, SOON_NS, (tag, bytes, error) -> assertThat(error).isNull()))
          .isEqualTo(2);
      assertThat(Files.size(other)).isEqualTo(BLOCK);
      assertThat(a.sizeBytes()).isEqualTo(2 * BLOCK);
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void evictingLosesNothing(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 4 * BLOCK)) {
      AlignedBuffer buffer = rig.buffer();
      rig.fill(buffer, (byte) 7);
      rig.queue.write(rig.file, 1, BLOCK, buffer, 0, BLOCK, false);
      rig.done(1, BLOCK);
      rig.file.evict();
      rig.file.sync();
      rig.file.evict();
      rig.fill(buffer, (byte) 0);
      rig.queue.read(rig.file, 2, BLOCK, buffer, 0, BLOCK);
      rig.done(2, BLOCK);
      assertThat(Rig.copy(buffer, BLOCK)).containsOnly((byte) 7);
      buffer.release();
      rig.file.close();
      assertThatThrownBy(() -> rig.file.evict()).isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void prefetchingChangesNothingAndRefusesWhatIsNoRange(Engine engine) throws IOException {
    try (Rig rig = new Rig(engine, folder, 4, 4 * BLOCK)) {
      rig.file.prefetch(0, 4 * BLOCK);
      rig.file.prefetch(BLOCK, 0);
      rig.file.prefetch(100 * BLOCK, BLOCK);
      assertThat(rig.file.sizeBytes()).isEqualTo(4 * BLOCK);
      assertThatThrownBy(() -> rig.file.prefetch(-1, BLOCK))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> rig.file.prefetch(0, -1))
          .isInstanceOf(IllegalArgumentException.class);
      rig.file.close();
      assertThatThrownBy(() -> rig.file.prefetch(0, BLOCK))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
