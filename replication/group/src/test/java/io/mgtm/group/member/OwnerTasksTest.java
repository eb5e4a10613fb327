package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class OwnerTasksTest {
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final List<LogException> failures = new ArrayList<>();
  private final List<String> ran = new ArrayList<>();
  private final OwnerTasks tasks = new OwnerTasks("g1", waiting::add, failures::add);

  private void runWaiting() {
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run();
    }
  }

  @Test
  void tasksRunLaterAndInOrder() {
    tasks.execute(() -> ran.add("one"));
    tasks.execute(() -> ran.add("two"));
    assertThat(ran).isEmpty();
    runWaiting();
    assertThat(ran).containsExactly("one", "two");
    tasks.checkOpen();
  }

  /** A sync failed on another thread: what the tasks that wait would send rests on nothing. */
  @Test
  void tasksThatWaitDoNothingOnceAFailureIsReported() {
    LogException cause = new LogException(Category.IO, "a sync failed");
    tasks.execute(() -> ran.add("waits when it is reported"));
    tasks.report(cause);
    runWaiting();
    assertThat(ran).isEmpty();
    assertThat(failures).containsExactly(cause);
  }

  @Test
  void nothingRunsOnceTheLogIsClosed() {
    tasks.execute(() -> ran.add("waits when it is closed"));
    tasks.close();
    tasks.execute(() -> ran.add("comes later"));
    runWaiting();
    assertThat(ran).isEmpty();
    assertThat(failures).isEmpty();
    assertThat(tasks.isFailed()).isFalse();
    assertThatThrownBy(tasks::checkOpen)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the log is closed");
  }

  @Test
  void theFirstFailureIsToldAndNothingRunsAfterIt() {
    LogException first = new LogException(Category.CORRUPT, "a file is damaged");
    tasks.execute(
        () -> {
          throw first;
        });
    tasks.execute(() -> ran.add("comes later"));
    runWaiting();
    tasks.fail(new LogException(Category.IO, "another"));
    assertThat(ran).isEmpty();
    assertThat(failures).containsExactly(first);
    assertThatThrownBy(tasks::checkOpen)
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.CORRUPT))
        .hasMessage("a file is damaged")
        .hasCause(first);
  }

  @Test
  void whatNoTaskMayThrowIsAFailureOfTheLog() {
    IllegalStateException broken = new IllegalStateException("no such entry");
    tasks.run(
        () -> {
          throw broken;
        });
    assertBroken(broken);
  }

  @Test
  void soIsAnError() {
    AssertionError broken = new AssertionError("no such entry");
    tasks.run(
        () -> {
          throw broken;
        });
    assertBroken(broken);
  }

  private void assertBroken(Throwable broken) {
    assertThat(tasks.isFailed()).isTrue();
    assertThat(failures)
        .singleElement()
        .satisfies(
            failure -> {
              assertThat(failure.category()).isEqualTo(Category.IO);
              assertThat(failure).hasMessageContaining("Member g1 met a broken invariant");
              assertThat(failure).hasCause(broken);
            });
  }

  @Test
  void anOwnerThatHasStoppedIsNoFailure() {
    OwnerTasks late =
        new OwnerTasks(
            "g1",
            task -> {
              throw new RejectedExecutionException("stopped");
            },
            failures::add);
    late.execute(() -> ran.add("never"));
    assertThat(late.isFailed()).isFalse();
    assertThat(failures).isEmpty();
  }
}
