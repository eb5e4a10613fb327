package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Turns of sessions of which each has a loop of its own; time is theirs. */
class TurnTest {
  private final TransactionLimit limit = new TransactionLimit(2);
  private final List<EmbeddedChannel> loops = new ArrayList<>();
  private final List<String> came = new ArrayList<>();

  @AfterEach
  void close() {
    loops.forEach(EmbeddedChannel::close);
  }

  private Turn turn(TransactionLimit of) {
    EmbeddedChannel loop = new EmbeddedChannel();
    loop.freezeTime();
    loops.add(loop);
    return new Turn(of, loop.eventLoop());
  }

  private Turn turn() {
    return turn(limit);
  }

  private boolean takes(Turn turn, String name) {
    return turn.take(() -> came.add(name));
  }

  private void run() {
    loops.forEach(EmbeddedChannel::runPendingTasks);
  }

  private void pass(long millis) {
    for (EmbeddedChannel loop : loops) {
      loop.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
      loop.runScheduledPendingTasks();
    }
    run();
  }

  @Test
  void whoComesLaterWaitsInOrder() {
    Turn first = turn();
    Turn second = turn();
    assertThat(takes(first, "")).isTrue();
    assertThat(takes(second, "")).isTrue();
    assertThat(takes(turn(), "third")).isFalse();
    assertThat(takes(turn(), "fourth")).isFalse();
    assertThat(limit.waiting()).isEqualTo(2);
    second.end();
    run();
    assertThat(came).containsExactly("third");
    first.end();
    run();
    assertThat(came).containsExactly("third", "fourth");
    assertThat(limit.waiting()).isZero();
  }

  @Test
  void anyNumberRunsWithoutALimit() {
    TransactionLimit none = new TransactionLimit(0);
    for (int i = 0; i < 100; i++) {
      assertThat(takes(turn(none), "")).isTrue();
    }
  }

  @Test
  void aLongOneGoesOnWithout() {
    Turn first = turn();
    assertThat(takes(first, "")).isTrue();
    assertThat(takes(turn(), "")).isTrue();
    assertThat(takes(turn(), "third")).isFalse();
    pass(Turn.MOST_MS - 1);
    assertThat(came).isEmpty();
    pass(1);
    assertThat(came).containsExactly("third");
    first.end();
    // One of the two is given back by time, and not once more by the transaction's end.
    assertThat(takes(turn(), "")).isTrue();
    assertThat(takes(turn(), "fifth")).isFalse();
  }

  @Test
  void theTimeOfATurnIsItsOwn() {
    Turn first = turn();
    Turn second = turn();
    takes(first, "");
    takes(second, "");
    pass(Turn.MOST_MS / 2);
    first.end();
    assertThat(takes(first, "")).isTrue();
    assertThat(takes(turn(), "third")).isFalse();
    assertThat(takes(turn(), "fourth")).isFalse();
    pass(Turn.MOST_MS / 2);
    assertThat(came).containsExactly("third");
    pass(Turn.MOST_MS / 2);
    assertThat(came).containsExactly("third", "fourth");
  }

  @Test
  void whoWaitsStaysInLineWhenItsOwnLastTurnWouldBeOver() {
    Turn first = turn();
    takes(first, "");
    first.end();
    Turn second = turn();
    takes(second, "");
    takes(turn(), "");
    pass(Turn.MOST_MS / 2);
    assertThat(takes(first, "again")).isFalse();
    second.end();
    takes(second, "");
    pass(Turn.MOST_MS / 2);
    pass(Turn.MOST_MS);
    assertThat(came).contains("again");
  }

  /** That turn and another are taken; one more waits, which is returned, and the next after it. */
  private Turn oneWaitsBeforeNext(Turn held) {
    takes(held, "");
    takes(turn(), "");
    Turn waits = turn();
    takes(waits, "gone");
    takes(turn(), "next");
    return waits;
  }

  @Test
  void whoDoesNotWaitAnyMoreIsPassedOver() {
    Turn first = turn();
    Turn gone = oneWaitsBeforeNext(first);
    assertThat(gone.isWaiting()).isTrue();
    gone.end();
    assertThat(gone.isWaiting()).isFalse();
    first.end();
    run();
    assertThat(came).containsExactly("next");
  }

  @Test
  void whatComesTooLateIsPassedOn() {
    Turn first = turn();
    Turn gone = oneWaitsBeforeNext(first);
    first.end(); // it is on its way to the one that goes
    gone.end();
    run();
    run();
    assertThat(came).containsExactly("next");
  }
}
