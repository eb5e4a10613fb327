package io.mgtm.block.resync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.block.intent.ChunkSet;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResyncPartsTest {
  @Test
  void theMaximumRateIsKept() {
    RateLimiter limiter = new RateLimiter(1_000, 1_000_000);
    long sent = 0;
    for (long now = 1; now <= 10_000; now++) {
      while (limiter.tryTake(4096, false, now)) {
        sent += 4096;
      }
    }
    assertThat(sent).isBetween(9_500_000L, 10_200_000L);
  }

  @Test
  void clientsPushTheRateDownToTheMinimumAndNoFurther() {
    RateLimiter limiter = new RateLimiter(200_000, 50_000_000);
    long sent = 0;
    for (long now = 1; now <= 10_000; now++) {
      limiter.clientsBusy(now);
      while (limiter.tryTake(65_536, true, now)) {
        sent += 65_536;
      }
    }
    assertThat(sent).isBetween(1_800_000L, 2_200_000L);
  }

  @Test
  void onlyWhatHoldsUpClientsIsSlowed() {
    Pace pace = new Pace(1 << 20, new RateLimiter(1_000, RateLimiter.UNLIMITED));
    pace.clientsBusy(1);
    int sent = take(pace, false);
    assertThat(sent).as("before a write").isEqualTo(4);
    pace.ended(65_536);
    assertThat(take(pace, false)).as("where one was taken away").isOne();
    assertThat(take(pace, false)).isZero();
    pace.reset();
    sent += 1;
    while (sent < 32) {
      sent += take(pace, true);
      pace.reset();
    }
    assertThat(take(pace, true)).as("beside a flush").isZero();
    assertThat(take(pace, false)).as("once it is done").isEqualTo(4);
    pace.flushBegan();
    pace.reset();
    assertThat(take(pace, true)).as("beside the next").isEqualTo(4);
  }

  @Test
  void whoWritesNothingIsNotYieldedTo() {
    Pace pace = new Pace(1 << 20, new RateLimiter(1_000, RateLimiter.UNLIMITED));
    assertThat(take(pace, true)).isEqualTo(16);
    assertThat(pace.hasRoom()).isFalse();
  }

  @Test
  void aLineThatCarriesMoreHasMoreBeforeAWrite() {
    assertThat(chunksBeforeAWrite(2_000_000_000)).isEqualTo(16);
    assertThat(chunksBeforeAWrite(250_000_000)).isEqualTo(8);
    assertThat(chunksBeforeAWrite(12_000_000)).isOne();
  }

  private static int chunksBeforeAWrite(long bytesPerSecond) {
    Pace pace = new Pace(4 << 20, new RateLimiter(1_000, RateLimiter.UNLIMITED));
    for (long now = 1; now <= 1_000; now++) {
      pace.began(bytesPerSecond / 1_000);
      pace.ended(bytesPerSecond / 1_000);
      pace.tick(now);
    }
    pace.clientsBusy(1);
    return take(pace, false);
  }

  /** How many chunks go at once. */
  private static int take(Pace pace, boolean flushAwaited) {
    int chunks = 0;
    while (pace.hasRoom() && pace.tryTake(65_536, flushAwaited, 1)) {
      pace.began(65_536);
      chunks++;
    }
    return chunks;
  }

  @Test
  void ratesThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> new RateLimiter(0, 1)).hasMessageContaining("0 < minimum <= maximum");
    assertThatThrownBy(() -> new RateLimiter(5, 4)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void progressTellsTheRemainingTime() {
    Progress progress = new Progress(100_000_000, 1_000);
    for (long now = 1_001; now <= 6_000; now++) {
      progress.advance(10_000, now);
    }
    assertThat(progress.doneBytes()).isEqualTo(50_000_000);
    assertThat(progress.bytesPerSecond(6_000)).isBetween(9_000_000.0, 11_000_000.0);
    assertThat(progress.remainingMs(6_000)).isBetween(4_500L, 5_600L);
    assertThat(new Progress(5, 0).remainingMs(0)).as("not known yet").isEqualTo(-1);
  }

  @Test
  void aWalkVisitsEveryChunkEvenWhenSomeComeBack() {
    Random random = new Random(3);
    ChunkSet todo = new ChunkSet(500);
    todo.fill();
    ChunkWalk walk = new ChunkWalk(todo, 7);
    ArrayDeque<Integer> underWay = new ArrayDeque<>();
    int visits = 0;
    while (!walk.isDone()) {
      int chunk = walk.peek();
      if (chunk >= 0 && random.nextBoolean()) {
        walk.begin(chunk);
        underWay.add(chunk);
        visits++;
      } else if (!underWay.isEmpty()) {
        int ended = underWay.poll();
        walk.end(ended);
        if (random.nextInt(10) > 0) {
          todo.remove(ended);
        }
      }
      assertThat(underWay).hasSizeLessThanOrEqualTo(7);
    }
    assertThat(visits).isBetween(500, 700);
  }
}
