package io.mgtm.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.bench.report.Section.Outcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Parts that run, fail, are missing, or do not end. */
class ReportRunTest {
  private final StringWriter err = new StringWriter();
  private final AtomicLong now = new AtomicLong();

  private List<Section> run(Part... parts) throws InterruptedException {
    return new ReportRun(new PrintWriter(err), 600, now::get).run(List.of(parts));
  }

  @Test
  void aPartThatFailsDoesNotKeepOthersFromRunning() throws InterruptedException {
    List<Section> sections =
        run(
            TestPart.of(
                "one",
                () -> {
                  throw new IOException("no disk\nat all");
                }),
            TestPart.of("two", () -> {}));
    assertThat(sections).extracting(Section::outcome).containsExactly(Outcome.FAILED, Outcome.RAN);
    assertThat(sections.get(0).reason()).isEqualTo("no disk at all");
    assertThat(sections.get(0).clean()).isFalse();
    assertThat(sections.get(1).clean()).isTrue();
    assertThat(err.toString()).contains("[1/2] Part one: at most 600 s", "failed: no disk at all");
  }

  @Test
  void whatIsMissingIsTold() throws InterruptedException {
    Part part = new TestPart("one", 60, Optional.of("install fio"), Measured.NOTHING, () -> {});
    Section section = run(part).get(0);
    assertThat(section.outcome()).isEqualTo(Outcome.NOT_RUN);
    assertThat(section.reason()).isEqualTo("install fio");
    assertThat(section.clean()).isTrue();
  }

  @Test
  void aPartThatDoesNotEndIsInterruptedAndTheNextOneIsNot() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    Measured had = new Measured(List.of(), List.of("a note"), List.of());
    List<Section> sections =
        run(
            new TestPart(
                "one",
                1,
                Optional.empty(),
                had,
                () -> {
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted", e);
                  }
                }),
            TestPart.of(
                "two",
                () -> assertThat(Thread.interrupted()).as("an interrupt that is left").isFalse()));
    assertThat(sections.get(0).reason()).isEqualTo("it took longer than 1 s");
    assertThat(sections.get(0).measured()).as("what it had until then").isEqualTo(had);
    assertThat(sections.get(1).outcome()).isEqualTo(Outcome.RAN);
  }

  @Test
  void whenTheTimeOfAllIsOverTheRestIsNotRun() throws InterruptedException {
    Section late =
        run(
                TestPart.of(
                    "one",
                    () -> {
                      now.addAndGet(TimeUnit.SECONDS.toNanos(595));
                    }),
                TestPart.of("two", () -> {}))
            .get(1);
    assertThat(late.outcome()).isEqualTo(Outcome.NOT_RUN);
    assertThat(late.reason()).contains("the 600 s of this report were over");
  }

  @Test
  void anInterruptFromOutsideEndsAll() {
    assertThatThrownBy(
            () ->
                run(
                    TestPart.of(
                        "one",
                        () -> {
                          throw new InterruptedException();
                        })))
        .isInstanceOf(InterruptedException.class);
  }
}
