package io.mgtm.query.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server is asked; time is that of the loop. */
class PresenceTest {
  private static final int SILENT_MS = 5_000;
  private static final String SILENT = "it did not answer within 5000 ms";

  private final EmbeddedChannel loop = new EmbeddedChannel();
  private final CompletableFuture<String> answer = new CompletableFuture<>();
  private final List<CompletableFuture<String>> again = new ArrayList<>();
  private CompletableFuture<String> found;

  @BeforeEach
  void ask() {
    loop.freezeTime();
    found =
        Presence.of(
            loop.eventLoop(),
            SILENT_MS,
            answer,
            () -> {
              again.add(new CompletableFuture<>());
              return again.get(0);
            });
  }

  @AfterEach
  void close() {
    loop.close();
  }

  private void pass(int ms) {
    loop.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    loop.runScheduledPendingTasks();
    loop.runPendingTasks();
  }

  @Test
  void oneThatIsSilentIsAskedTwiceInItsTime() {
    pass(SILENT_MS / 2 - 1);
    assertThat(again).isEmpty();
    pass(1);
    assertThat(again).hasSize(1);
    pass(SILENT_MS / 2 - 1);
    assertThat(found).isNotDone();
    pass(1);
    assertThat(found).isCompletedWithValue(SILENT);
    assertThat(again).hasSize(1);
  }

  @Test
  void oneThatAnswersIsThere() {
    answer.complete(null);
    assertThat(found).isCompletedWithValue(null);
    pass(2 * SILENT_MS);
    assertThat(again).isEmpty();
  }

  @Test
  void oneThatAnswersLateIsThere() {
    pass(SILENT_MS - 1);
    answer.complete(null);
    pass(SILENT_MS);
    assertThat(found).isCompletedWithValue(null);
  }

  /** Only the connection was dead. */
  @Test
  void oneThatAnswersOverANewConnectionIsThere() {
    pass(SILENT_MS / 2);
    again.get(0).complete(null);
    pass(SILENT_MS);
    assertThat(found).isCompletedWithValue(null);
  }

  @Test
  void oneThatBreaksTheConnectionIsAskedAtOnce() {
    answer.complete("it is gone");
    assertThat(again).hasSize(1);
    again.get(0).complete("connection refused");
    assertThat(found).isCompletedWithValue("connection refused");
  }

  /** What came meanwhile is not known yet: the servers have not all gone at once. */
  @Test
  void aLoopThatWasHeldUpGivesANewConnectionItsTime() {
    pass(10 * SILENT_MS);
    assertThat(again).hasSize(1);
    assertThat(found).isNotDone();
    again.get(0).complete(null);
    assertThat(found).isCompletedWithValue(null);
  }
}
