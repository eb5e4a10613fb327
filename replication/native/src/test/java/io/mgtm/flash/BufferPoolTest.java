package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class BufferPoolTest {

  @Test
  void buffersAreAlignedAndDoNotOverlap() {
    BufferPool pool = BufferPool.of(4, 8192);
    List<AlignedBuffer> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      AlignedBuffer buffer = pool.tryAcquire();
      assertThat(buffer.bytes().alignmentOffset(0, BufferPool.ALIGNMENT_BYTES)).isZero();
      for (int at = 0; at < 8192; at++) {
        buffer.bytes().put(at, (byte) i);
      }
      all.add(buffer);
    }
    assertThat(pool.tryAcquire()).isNull();
    for (AlignedBuffer buffer : all) {
      assertThat(buffer.bytes().get(0)).isEqualTo(buffer.bytes().get(8191));
      assertThat(pool.memory().get(buffer.poolOffset())).isEqualTo(buffer.bytes().get(0));
      buffer.release();
    }
    assertThat(pool.available()).isEqualTo(4);
  }

  @Test
  void theLastReferenceReturnsTheBuffer() {
    BufferPool pool = BufferPool.of(1, 4096);
    AlignedBuffer buffer = pool.tryAcquire();
    assertThat(buffer.retain()).isSameAs(buffer);
    buffer.release();
    assertThat(pool.available()).isZero();
    pool.close();
    buffer.release();
    assertThat(pool.available()).isEqualTo(1);
    assertThatThrownBy(buffer::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(pool::tryAcquire).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aWaitForABufferEndsWhenOneComesBackOrTimeIsUp() throws Exception {
    BufferPool pool = BufferPool.of(1, 4096);
    AlignedBuffer buffer = pool.acquire(1);
    assertThatThrownBy(() -> pool.acquire(10)).isInstanceOf(TimeoutException.class);
    CompletableFuture<AlignedBuffer> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return pool.acquire(20_000);
              } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError(e);
              }
            });
    buffer.release();
    waiting.get(180, TimeUnit.SECONDS).release();
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    for (int[] size : new int[][] {{0, 4096}, {1, 0}, {1, 4095}, {1, -4096}, {1 << 20, 1 << 20}}) {
      assertThatThrownBy(() -> BufferPool.of(size[0], size[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void vectorsRefuseWhatIsOutside() {
    BufferPool pool = BufferPool.of(1, 4096);
    AlignedBuffer buffer = pool.tryAcquire();
    IoVector vector = new IoVector();
    assertThatThrownBy(() -> vector.add(buffer, 4096, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> vector.add(buffer, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    for (int i = 0; i < IoVector.SEGMENTS_MAX; i++) {
      vector.add(buffer, 0, 64);
    }
    assertThatThrownBy(() -> vector.add(buffer, 0, 1)).isInstanceOf(IllegalStateException.class);
    assertThat(vector.lengthBytes()).isEqualTo(4096);
    assertThat(vector.clear().segments()).isZero();
  }
}
