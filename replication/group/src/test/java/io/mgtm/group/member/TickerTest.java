package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class TickerTest {
  private static final int TICK_MS = 10;
  private static final int FAR_MS = 100;

  private final Time time = new Time();
  private final List<Long> looks = new ArrayList<>();
  private long quietMs;
  private RuntimeException thrown;
  private final Ticker ticker = new Ticker(() -> quietMs, time, TICK_MS, Runnable::run, this::look);

  private void look() {
    looks.add(time.nowMs);
    if (thrown != null) {
      throw thrown;
    }
  }

  @Test
  void looksOftenWhileAnythingIsUnderWay() {
    ticker.start();
    time.run(35);
    assertThat(looks).containsExactly(10L, 20L, 30L);
  }

  @Test
  void looksWhenItIsNeededWhenQuiet() {
    quietMs = 60;
    ticker.start();
    time.run(150);
    assertThat(looks).containsExactly(10L, 70L, 130L);
  }

  @Test
  void whatComesInDoesNotWaitForAFarLook() {
    quietMs = FAR_MS;
    ticker.start();
    time.run(40);
    ticker.look();
    quietMs = 0;
    ticker.look();
    ticker.look();
    time.run(80);
    assertThat(looks).containsExactly(10L, 50L, 60L, 70L, 80L, 90L, 100L, 110L, 120L);
  }

  @Test
  void quietMemberIsNotWokenByWhatComesIn() {
    quietMs = FAR_MS;
    ticker.start();
    for (int i = 0; i < 1_000; i++) {
      time.run(1);
      ticker.look();
    }
    assertThat(time.woken).isEqualTo(10);
  }

  @Test
  void lookFollowsOneThatFails() {
    thrown = new IllegalStateException("full");
    ticker.start();
    assertThatThrownBy(() -> time.run(TICK_MS)).isSameAs(thrown);
    thrown = null;
    time.run(TICK_MS);
    assertThat(looks).containsExactly(10L, 20L);
  }

  /** Virtual time. */
  private static final class Time implements MemberThreads {
    private record Due(long ms, Runnable task) implements Comparable<Due> {
      @Override
      public int compareTo(Due other) {
        return Long.compare(ms, other.ms);
      }
    }

    private final PriorityQueue<Due> dues = new PriorityQueue<>();
    private long nowMs;
    private int woken;

    @Override
    public void after(long ms, Runnable task) {
      dues.add(new Due(nowMs + ms, task));
    }

    void run(long ms) {
      long untilMs = nowMs + ms;
      while (!dues.isEmpty() && dues.peek().ms() <= untilMs) {
        Due due = dues.poll();
        nowMs = due.ms();
        woken++;
        due.task().run();
      }
      nowMs = untilMs;
    }

    @Override
    public Executor force() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Executor files() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Executor checkpoints() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void stop() {}
  }
}
