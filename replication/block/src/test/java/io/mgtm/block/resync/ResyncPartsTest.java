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
    pace.ended(65_536, 1);
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
    assertThat(chunksBeforeAWrite(2_000_000_000, 0)).isBetween(60, 64);
    assertThat(chunksBeforeAWrite(250_000_000, 0)).isBetween(7, 8);
    assertThat(chunksBeforeAWrite(12_000_000, 0)).isOne();
    assertThat(chunksBeforeAWrite(12_000_000, 30)).as("a long one").isBetween(5, 7);
  }

  /** Of a line that nobody else uses, at last. */
  private static int chunksBeforeAWrite(long bytesPerSecond, int delayMs) {
    Pace pace = new Pace(16 << 20, new RateLimiter(1_000, RateLimiter.UNLIMITED));
    Line line = new Line(pace, bytesPerSecond, delayMs);
    for (long now = 1; now <= 2_000; now++) {
      line.tick(now);
    }
    pace.reset();
    pace.clientsBusy(1);
    return take(pace, false);
  }

  @Test
  void aBusyMomentIsNotKept() {
    Pace pace = new Pace(16 << 20, new RateLimiter(1_000, RateLimiter.UNLIMITED));
    Line line = new Line(pace, 400_000_000, 0);
    long now = 0;
    while (now < 3_000) {
      line.tick(++now);
      pace.clientsBusy(now);
    }
    long before = line.arrived;
    // Each answer takes five times as long as what there may be before a write.
    line.delayMs = 10;
    while (now < 3_500) {
      line.tick(++now);
      pace.clientsBusy(now);
    }
    line.delayMs = 0;
    before = line.arrived - before;
    long meanwhile = line.arrived;
    while (now < 4_500) {
      line.tick(++now);
      pace.clientsBusy(now);
    }
    assertThat(before).as("in the busy half of a second").isGreaterThan(10 << 20);
    assertThat(line.arrived - meanwhile).as("in the second after it").isGreaterThan(300_000_000);
  }

  @Test
  void aLongLineIsFilledWhileClientsWrite() {
    Pace pace = new Pace(16 << 20, new RateLimiter(10_000_000, RateLimiter.UNLIMITED));
    Line line = new Line(pace, 125_000_000, 30);
    long most = 0;
    for (long now = 1; now <= 10_000; now++) {
      pace.clientsBusy(now);
      line.tick(now);
      most = Math.max(most, line.queued);
    }
    assertThat(line.arrived).isGreaterThan(400_000_000L);
    assertThat(most).as("before a write").isLessThan(125_000 * 2);
  }

  /** Takes chunks while it may; they wait in a queue, and their answers come some time later. */
  private static final class Line {
    private final Pace pace;
    private final long bytesPerMs;
    private final ArrayDeque<Long> answers = new ArrayDeque<>();
    private long delayMs;
    private long queued;
    private long carried;
    private long arrived;

    Line(Pace pace, long bytesPerSecond, long delayMs) {
      this.pace = pace;
      this.bytesPerMs = bytesPerSecond / 1_000;
      this.delayMs = delayMs;
    }

    void tick(long now) {
      while (pace.hasRoom() && pace.tryTake(4_096, false, now)) {
        pace.began(4_096, now);
        queued += 4_096;
      }
      carried = Math.min(carried + bytesPerMs, queued);
      for (; carried >= 4_096; carried -= 4_096) {
        queued -= 4_096;
        answers.add(now + delayMs);
      }
      while (!answers.isEmpty() && answers.peek() <= now) {
        answers.poll();
        arrived += 4_096;
        pace.ended(4_096, now);
      }
      pace.tick(now);
    }
  }

  /** How many chunks go at once. */
  private static int take(Pace pace, boolean flushAwaited) {
    int chunks = 0;
    while (pace.hasRoom() && pace.tryTake(65_536, flushAwaited, 1)) {
      pace.began(65_536, 1);
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
