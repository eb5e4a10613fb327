package io.mgtm.ha.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.Notified;
import io.mgtm.ha.model.EventKind;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SenderTest {
  private static final String TARGET = "webhooks.ops";

  private final List<Long> told = new CopyOnWriteArrayList<>();
  private final List<Long> committed = new CopyOnWriteArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger tries = new AtomicInteger();
  private volatile boolean commits = true;
  private Sender sender = sender();

  private Sender sender() {
    return new Sender(TARGET, this::send, EnumSet.of(EventKind.FAILURE), this::commit, 1);
  }

  private void send(List<Event> events, long lost) throws IOException {
    tries.incrementAndGet();
    if (failures.getAndDecrement() > 0) {
      throw new IOException("nobody answers");
    }
    events.forEach(event -> told.add(event.id()));
  }

  private CompletableFuture<?> commit(Notified position) {
    assertThat(position.target()).isEqualTo(TARGET);
    if (!commits) {
      return CompletableFuture.failedFuture(new IOException("another leads"));
    }
    committed.add(position.event());
    return CompletableFuture.completedFuture(null);
  }

  @AfterEach
  void stop() {
    sender.close();
  }

  @Test
  void whoIsNewIsToldOfWhatHappensFromNowOn() {
    sender.state(States.of(1, 5, EventKind.FAILURE));
    Await.until("a position", () -> committed.equals(List.of(5L)));

    sender.state(States.told(States.of(1, 7, EventKind.FAILURE), TARGET, 5));
    Await.until("told", () -> told.equals(List.of(6L, 7L)));
    Await.until("a position", () -> committed.equals(List.of(5L, 7L)));
  }

  @Test
  void whatWasNotTakenIsToldAgainUntilItIs() {
    failures.set(5);
    sender.state(States.told(States.of(1, 3, EventKind.FAILURE), TARGET, 1));

    Await.until("told", () -> told.equals(List.of(2L, 3L)));
    assertThat(tries).hasValue(6);
  }

  @Test
  void theNextLeaderGoesOnFromThePositionThatWasCommitted() {
    commits = false;
    sender.state(States.told(States.of(1, 3, EventKind.FAILURE), TARGET, 1));
    Await.until("told", () -> told.equals(List.of(2L, 3L)));
    sender.close();

    told.clear();
    commits = true;
    sender = sender();
    sender.state(States.told(States.of(1, 4, EventKind.FAILURE), TARGET, 1));
    Await.until("told, some for the second time", () -> told.equals(List.of(2L, 3L, 4L)));
  }

  @Test
  void whoDoesNotLeadTellsNobody() {
    sender.state(null);
    sender.state(States.told(States.of(1, 3, EventKind.COPY), TARGET, 1));
    sender.state(States.told(States.of(1, 4, EventKind.FAILURE), TARGET, 3));

    Await.until("told", () -> told.equals(List.of(4L)));
  }
}
