package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.flash.Flash;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of a backing store, by every way to the disk. */
@ParameterizedClass
@EnumSource(IoMode.class)
class BackingStoreTest {
  private static final int SIZE = 1 << 20;

  @Parameter IoMode mode;
  @TempDir Path folder;
  private final StoreRig rig = new StoreRig();
  private Path path;
  private BackingStore store;

  @BeforeEach
  void open() throws IOException {
    path = folder.resolve("file");
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) 7);
    Files.write(path, bytes);
    store = StoreRig.open(mode, path, rig.owner());
  }

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
  }

  private ByteBuffer read(long offset, int length) throws Exception {
    ByteBuffer target = ByteBuffer.allocateDirect(length);
    store.read(offset, target, null, rig.completion());
    assertThat(rig.await()).isNull();
    return target;
  }

  private void write(long offset, ByteBuffer source) throws Exception {
    store.write(offset, source, null, rig.completion());
    assertThat(rig.await()).isNull();
  }

  @Test
  void readsBackWhatWasWritten() throws Exception {
    ByteBuffer source = ByteBuffer.allocateDirect(4096);
    source.putLong(0, 42);
    write(8192, source);
    assertThat(read(8192, 4096).getLong(0)).isEqualTo(42);
  }

  @Test
  void aBufferIsTakenFromItsPositionToItsLimit() throws Exception {
    ByteBuffer source = ByteBuffer.allocateDirect(100);
    for (int i = 0; i < 100; i++) {
      source.put(i, (byte) i);
    }
    write(5000, source.position(10).limit(20));
    ByteBuffer target = ByteBuffer.allocateDirect(30);
    store.read(4999, target.position(5).limit(17), null, rig.completion());
    assertThat(rig.await()).isNull();
    target.clear();
    assertThat(target.get(5)).isEqualTo((byte) 7);
    assertThat(target.get(6)).isEqualTo((byte) 10);
    assertThat(target.get(15)).isEqualTo((byte) 19);
    assertThat(target.get(16)).isEqualTo((byte) 7);
    assertThat(target.get(4)).isZero();
    assertThat(target.get(17)).isZero();
  }

  @Test
  void longTransfersAreWhole() throws Exception {
    ByteBuffer source = ByteBuffer.allocateDirect(SIZE - 1000);
    for (int i = 0; i + 8 <= source.capacity(); i += 8) {
      source.putLong(i, i);
    }
    write(777, source.duplicate());
    assertThat(read(777, SIZE - 1000).clear()).isEqualTo(source.clear());
    byte[] file = Files.readAllBytes(path);
    assertThat(file).hasSize(SIZE);
    assertThat(file[776]).isEqualTo((byte) 7);
    assertThat(file[SIZE - 223]).isEqualTo((byte) 7);
  }

  @Test
  void aFlushCompletesOnTheOwner() throws Exception {
    store.flush(null, rig.completion());
    assertThat(rig.completed()).isZero();
    assertThat(rig.await()).isNull();
    assertThat(rig.completed()).isEqualTo(1);
  }

  @Test
  void zeroedRangesReadAsZerosAndNothingElseChanges() throws Exception {
    for (boolean unmap : new boolean[] {true, false}) {
      for (int[] range : new int[][] {{4096, 200_000}, {4099, 20_000}, {600, 5}, {8192, 4096}}) {
        store.zero(range[0], range[1], unmap, null, rig.completion());
        assertThat(rig.await()).isNull();
        byte[] bytes = Files.readAllBytes(path);
        byte[] expected = new byte[SIZE];
        Arrays.fill(expected, (byte) 7);
        Arrays.fill(expected, range[0], range[0] + range[1], (byte) 0);
        assertThat(Arrays.mismatch(bytes, expected)).as("first byte that is wrong").isEqualTo(-1);
        byte[] back = new byte[range[1]];
        Arrays.fill(back, (byte) 7);
        write(range[0], ByteBuffer.wrap(back));
      }
    }
  }

  @Test
  void extentsCoverTheWholeFile() {
    long at = 0;
    while (at < SIZE) {
      long extent = store.extentAt(at, SIZE - at);
      assertThat(extent).isNotZero();
      at += Math.abs(extent);
    }
    assertThat(at).isEqualTo(SIZE);
  }

  @Test
  void aReadPastTheEndFailsWithItsPlace() throws Exception {
    store.read(SIZE - 10, ByteBuffer.allocateDirect(20), null, rig.completion());
    StoreException failure = rig.await();
    assertThat(failure)
        .hasMessageContaining("offset " + (SIZE - 10))
        .hasMessageContaining("ends at " + SIZE);
    assertThat(failure.errno()).isEqualTo(StoreException.EIO);
  }

  @Test
  void aSecondOpenOfTheSameFileIsRefused() {
    assertThatThrownBy(() -> mode.open(path, Runnable::run))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("stop it first");
  }

  private void grow(long from, long to) throws Exception {
    store.grow(from, to, null, rig.completion());
    assertThat(rig.await()).isNull();
  }

  @Test
  void aGrownFileReadsAsZeros() throws Exception {
    grow(SIZE, 2 * SIZE);
    assertThat(read(2 * SIZE - 100, 100).get(50)).isZero();
    assertThat(read(SIZE - 1, 1).get(0)).isEqualTo((byte) 7);
    assertThat(store.sizeBytes()).isEqualTo(2 * SIZE);
    assertThat(Files.size(path)).isEqualTo(2 * SIZE);
  }

  @Test
  void whatLayBehindTheVolumesEndReadsAsZerosOnceItHasGrown() throws Exception {
    grow(SIZE - 8192, SIZE - 512);
    assertThat(read(SIZE - 8193, 1).get(0)).isEqualTo((byte) 7);
    assertThat(read(SIZE - 8192, 1).get(0)).isZero();
    assertThat(read(SIZE - 513, 1).get(0)).isZero();
    assertThat(Files.size(path)).as("a file does not shrink").isEqualTo(SIZE);
  }

  @Test
  void aFileSystemWithoutRoomForTheSizeIsAnError() throws Exception {
    store.grow(SIZE, Long.MAX_VALUE - 511, null, rig.completion());
    assertThat(rig.await()).hasMessageContaining("growing of");
    assertThat(store.sizeBytes()).isEqualTo(SIZE);
    assertThat(read(0, 1).get(0)).isEqualTo((byte) 7);
  }

  @Test
  void aClosedStoreRefuses() {
    store.close();
    store.flush(null, rig.completion());
    assertThat(rig.completed()).isEqualTo(1);
    assertThat(rig.failure()).hasMessageContaining("is closed");
    store = null;
  }

  @Test
  void onlyTheOneWithoutRingCompletesAtOnce() {
    assertThat(store.completesAtOnce()).isEqualTo(mode == IoMode.CACHE);
    assertThat(mode == IoMode.CACHE || Flash.available().usable()).isTrue();
  }

  /** Whether every page of the file is in the page cache; looking brings none there. */
  private boolean isCached() throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE).isLoaded();
    }
  }

  private void leaveTheCache() throws Exception {
    store.flush(null, rig.completion());
    assertThat(rig.await()).isNull();
    int code =
        new ProcessBuilder("dd", "if=" + path, "iflag=nocache", "count=0", "status=none")
            .inheritIO()
            .start()
            .waitFor();
    assertThat(code).isZero();
    Assumptions.assumeFalse(isCached(), "SKIPPED: this file system keeps all in memory");
  }

  @Test
  void whatIsAskedForAheadComesIntoThePageCacheUnlessThatIsPassedBy() throws Exception {
    leaveTheCache();
    store.prefetch(0, SIZE);
    if (mode == IoMode.DIRECT) {
      store.flush(null, rig.completion());
      assertThat(rig.await()).isNull();
      assertThat(isCached()).isFalse();
    } else {
      Await.until("it in the page cache", this::isCached);
    }
  }

  @Test
  void anyNumberOfRangesMayBeAskedForAhead() throws Exception {
    for (int i = 0; i < 10_000; i++) {
      store.prefetch(4096L * (i % 200), SIZE / 4);
    }
    store.close();
    store = null;
  }
}
