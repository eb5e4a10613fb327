package io.mgtm.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedHandleTest {

  @Test
  void theLastUserFreesAClosedHandle() {
    AtomicLong freed = new AtomicLong();
    SharedHandle handle = new SharedHandle(this, "thing", 42, freed::addAndGet);
    assertThat(handle.acquire()).isEqualTo(42);
    handle.close();
    handle.close();
    assertThat(handle.closed()).isTrue();
    assertThat(freed).hasValue(0);
    assertThat(handle.tryAcquire()).isFalse();
    assertThatThrownBy(handle::acquire).hasMessage("thing is closed");
    handle.release();
    assertThat(freed).hasValue(42);
    assertThatThrownBy(handle::release).isInstanceOf(IllegalStateException.class);
    assertThat(freed).hasValue(42);
  }

  @Test
  void aReleaseWithoutAUseIsRefused() {
    SharedHandle handle = new SharedHandle(this, "thing", 1, it -> {});
    assertThatThrownBy(handle::release).hasMessageContaining("more often");
    assertThat(handle.acquire()).isEqualTo(1);
    handle.release();
    handle.close();
  }

  @Test
  void nobodyUsesAFreedHandleHoweverThreadsMeet() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      AtomicInteger freed = new AtomicInteger();
      SharedHandle handle = new SharedHandle(this, "thing", 1, it -> freed.incrementAndGet());
      CompletableFuture<Void> user =
          CompletableFuture.runAsync(
              () -> {
                while (handle.tryAcquire()) {
                  assertThat(freed).hasValue(0);
                  handle.release();
                }
              });
      handle.close();
      user.get(180, TimeUnit.SECONDS);
      assertThat(freed).hasValue(1);
    }
  }

  @Test
  void theCleanerFreesWhatNobodyClosed() {
    AtomicInteger freed = new AtomicInteger();
    forget(freed);
    long end = System.nanoTime() + 180_000_000_000L;
    while (freed.get() == 0 && System.nanoTime() < end) {
      System.gc();
    }
    assertThat(freed).hasValue(1);
  }

  private static void forget(AtomicInteger freed) {
    SharedHandle handle = new SharedHandle(new Object(), "thing", 1, it -> freed.incrementAndGet());
    handle.acquire();
    handle.release();
  }
}
