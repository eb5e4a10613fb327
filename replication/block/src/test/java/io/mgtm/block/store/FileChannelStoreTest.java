package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileChannelStoreTest {
  private static final int SIZE = 1 << 20;

  @TempDir Path folder;
  private final BlockingQueue<Runnable> owner = new LinkedBlockingQueue<>();
  private Path path;
  private FileChannelStore store;
  private StoreException failure;
  private int completed;

  @BeforeEach
  void open() throws IOException {
    path = folder.resolve("file");
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) 7);
    Files.write(path, bytes);
    store = FileChannelStore.open(path, owner::add);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void done(Object context, StoreException why) {
    completed++;
    failure = why;
  }

  private void awaitCompletion() throws InterruptedException {
    Runnable task = owner.poll(20, TimeUnit.SECONDS);
    assertThat(task).as("a completion within 20 s").isNotNull();
    task.run();
  }

  @Test
  void readsBackWhatWasWrittenAtOnce() {
    ByteBuffer source = ByteBuffer.allocateDirect(4096);
    source.putLong(0, 42);
    store.write(8192, source, null, this::done);
    ByteBuffer target = ByteBuffer.allocateDirect(4096);
    store.read(8192, target, null, this::done);
    assertThat(completed).isEqualTo(2);
    assertThat(failure).isNull();
    assertThat(target.getLong(0)).isEqualTo(42);
  }

  @Test
  void aFlushCompletesOnTheOwner() throws InterruptedException {
    store.flush(null, this::done);
    assertThat(completed).isZero();
    awaitCompletion();
    assertThat(completed).isEqualTo(1);
    assertThat(failure).isNull();
  }

  @Test
  void zeroedRangesReadAsZerosAndNothingElseChanges() throws Exception {
    for (boolean unmap : new boolean[] {true, false}) {
      store.zero(4096, 200_000, unmap, null, this::done);
      awaitCompletion();
      assertThat(failure).isNull();
      byte[] bytes = Files.readAllBytes(path);
      assertThat(bytes).hasSize(SIZE);
      for (int at = 0; at < SIZE; at++) {
        assertThat(bytes[at]).isEqualTo((byte) (at >= 4096 && at < 204_096 ? 0 : 7));
      }
      store.write(4096, ByteBuffer.wrap(new byte[] {7}), null, this::done);
    }
  }

  @Test
  void zeroingWithoutTheSystemsHelpGivesTheSame() throws Exception {
    try (var channel =
            java.nio.channels.FileChannel.open(
                path,
                java.nio.file.StandardOpenOption.READ,
                java.nio.file.StandardOpenOption.WRITE);
        PlainRanges plain = new PlainRanges(channel)) {
      plain.zero(1000, 150_001, true);
      plain.zero(1000, 150_001, true);
      plain.zero(500_000, 10, false);
      assertThat(plain.extentAt(5, 77)).isEqualTo(77);
    }
    byte[] bytes = Files.readAllBytes(path);
    for (int at = 0; at < SIZE; at++) {
      boolean zero = (at >= 1000 && at < 151_001) || (at >= 500_000 && at < 500_010);
      assertThat(bytes[at]).isEqualTo((byte) (zero ? 0 : 7));
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
  void aReadPastTheEndFailsWithItsPlace() {
    store.read(SIZE - 10, ByteBuffer.allocateDirect(20), null, this::done);
    assertThat(failure)
        .hasMessageContaining("offset " + (SIZE - 10))
        .hasMessageContaining("ends at " + SIZE);
    assertThat(failure.errno()).isEqualTo(StoreException.EIO);
  }

  @Test
  void aSecondOpenOfTheSameFileIsRefused() {
    assertThatThrownBy(() -> FileChannelStore.open(path, Runnable::run))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("stop it first");
  }

  @Test
  void aGrownFileReadsAsZeros() throws StoreException {
    store.grow(2 * SIZE);
    ByteBuffer target = ByteBuffer.allocateDirect(100);
    store.read(2 * SIZE - 100, target, null, this::done);
    assertThat(failure).isNull();
    assertThat(target.get(50)).isZero();
    assertThat(store.sizeBytes()).isEqualTo(2 * SIZE);
  }

  @Test
  void aFullDiskIsToldApart() {
    StoreException full =
        StoreException.of("write", 5, 6, new IOException("No space left on device"));
    assertThat(full.errno()).isEqualTo(StoreException.ENOSPC);
    assertThat(full).hasMessage("write of 6 bytes at offset 5 failed: No space left on device");
  }
}
