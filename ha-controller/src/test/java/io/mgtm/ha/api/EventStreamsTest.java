package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.core.Batch;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Decision;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamsTest {
  private static final long NEVER_MS = 3_600_000;

  private EventStreams streams = new EventStreams(NEVER_MS, NEVER_MS);
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final List<Thread> readers = new ArrayList<>();
  private ClusterState state = ClusterState.EMPTY;

  @AfterEach
  void end() throws InterruptedException {
    streams.close();
    for (Thread reader : readers) {
      reader.join();
    }
  }

  /** Commits so many events. */
  private void happen(int count) {
    for (int i = 0; i < count; i++) {
      state =
          state.apply(
              new Batch(
                  Batch.FORMAT,
                  1,
                  1,
                  List.of(
                      new Decision(
                          new OperatorCommand.Maintain(
                              OperatorCommand.Scope.CLUSTER, "", i % 2 == 0),
                          "test",
                          "because",
                          Map.of()))));
    }
    streams.committed(state);
  }

  private void read(long after, EventStreams.StatusSource status) {
    Thread reader =
        new Thread(
            () -> {
              try {
                streams.send(after, status, Object::toString, sent::add);
                sent.add("end");
              } catch (IOException | InterruptedException e) {
                sent.add(e.getMessage());
              }
            });
    readers.add(reader);
    reader.start();
  }

  private String all() {
    return String.join("", sent);
  }

  private void awaitSent(String text) {
    Await.until(text, () -> all().contains(text));
  }

  @Test
  void whatIsCommittedAfterTheLastOneIsSentWithItsNumber() {
    happen(3);
    read(2, null);
    awaitSent("id: 3\nevent: event\ndata: Event[id=3,");

    happen(1);
    awaitSent("id: 4\nevent: event\ndata: ");
    assertThat(all()).startsWith("retry: ").doesNotContain("id: 1\n", "id: 2\n", "missed");
  }

  @Test
  void howManyWereMissedIsToldWhereTheStateKeepsThemNoMore() {
    happen(ClusterState.EVENTS_MAX + 10);
    read(3, null);

    awaitSent("id: 266\n");
    assertThat(all())
        .contains("event: missed\ndata: {\"missed\":7}\n\nid: 11\n")
        .doesNotContain("id: 10\n");
  }

  /** A controller that has begun anew has not applied yet what its reader knows. */
  @Test
  void aReaderThatIsAheadIsSentNothingTwice() {
    happen(2);
    read(3, null);
    happen(1);
    happen(1);

    awaitSent("id: 4\n");
    assertThat(all()).doesNotContain("id: 1\n", "id: 2\n", "id: 3\n", "missed");
  }

  @Test
  void aCommentIsSentWhileNothingHappens() {
    streams = new EventStreams(1, NEVER_MS);
    read(0, null);

    awaitSent(": nothing new\n\n: nothing new\n\n");
  }

  @Test
  void theStatusComesAtOnceAndNowAndThen() {
    streams = new EventStreams(NEVER_MS, 1);
    read(0, () -> "{}");

    awaitSent("event: status\ndata: {}\n\nevent: status\ndata: {}\n\n");
  }

  @Test
  void thereAreSoManyPlaces() {
    for (int i = 0; i < EventStreams.STREAMS_MAX; i++) {
      assertThat(streams.enter()).isTrue();
    }
    assertThat(streams.enter()).isFalse();

    streams.leave();
    assertThat(streams.enter()).isTrue();
  }

  @Test
  void allEndWhenTheControllerStops() {
    read(0, null);
    awaitSent("retry: ");
    streams.close();

    awaitSent("end");
    assertThat(streams.enter()).isFalse();
  }

  @Test
  void aReaderThatTakesNothingEndsItsStream() {
    happen(1);

    assertThatThrownBy(
            () ->
                streams.send(
                    0,
                    null,
                    Object::toString,
                    text -> {
                      throw new IOException("gone");
                    }))
        .hasMessage("gone");
  }
}
