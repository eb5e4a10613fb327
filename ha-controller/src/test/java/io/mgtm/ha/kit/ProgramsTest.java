package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs of every bad habit. */
class ProgramsTest {
  private static final long DEADLINE_MS = 120_000;

  @TempDir Path folder;

  private static Program shell(String script) {
    return Program.shell(Deadline.in(DEADLINE_MS), script);
  }

  private Program marked(String script, long deadlineMs) {
    return new Program(List.of("/bin/sh", "-c", script), Map.of(), folder, deadlineMs, 1024, null);
  }

  private long left() {
    Path real = Processes.real(folder);
    return Processes.all().stream().filter(one -> one.worksIn(real, "")).count();
  }

  @Test
  void statusAndBothOutputsAreKept() throws Exception {
    Programs.Ended ended = Programs.run(shell("echo one; echo two >&2; exit 7"));

    assertThat(ended.status()).isEqualTo(7);
    assertThat(ended.output()).isEqualTo("one\ntwo\n");
    assertThatThrownBy(ended::succeeded)
        .isInstanceOf(KitException.class)
        .hasMessageContaining("exit 7")
        .hasMessageEndingWith("ended with status 7: one / two");
  }

  @Test
  void environmentIsAsGivenAndInputIsEmpty() throws Exception {
    Program program = shell("cat; echo \"$GIVEN,$HOME\"").with(Map.of("GIVEN", "this"));

    assertThat(Programs.run(program).output()).isEqualTo("this,\n");
  }

  @Test
  void programThatIsNotThereIsNamed() throws Exception {
    Programs.Ended ended = Programs.run(Program.of(Deadline.in(DEADLINE_MS), "no-such-program"));

    assertThatThrownBy(ended::succeeded).hasMessageContaining("no-such-program");
  }

  @Test
  void outputBeyondTheMemoryLeavesItsBeginningAndItsEnd() throws Exception {
    String script = "echo first; head -c 300000000 /dev/zero; echo; echo last";
    long before = Runtime.getRuntime().totalMemory();

    Programs.Ended ended = Programs.run(shell(script));

    assertThat(ended.output()).startsWith("first\n\0\0").endsWith("\0\0\nlast\n");
    assertThat(ended.output()).hasSizeLessThan(3_000).contains(" bytes ...");
    assertThat(Runtime.getRuntime().totalMemory() - before).isLessThan(256L << 20);
  }

  @Test
  void shortOutputIsWholeEvenWhereItIsCutInTwo() throws Exception {
    Program program =
        shell("printf 'ä%.0s' 1 2 3 4 5").keeping(5); // each has two bytes, so one is cut

    assertThat(Programs.run(program).output()).isEqualTo("äääää");
  }

  @Test
  void childThatPrintsOnForEverHoldsNobodyUp() throws Exception {
    Programs.Ended ended = Programs.run(marked("yes & echo started", DEADLINE_MS));

    assertThat(ended.status()).isZero();
    Await.until("nobody reads what it prints, and it ends", () -> left() == 0);
  }

  @Test
  void whatItLeavesRunningStays() throws Exception {
    Programs.run(marked("sleep 1000 >/dev/null 2>&1 &", DEADLINE_MS)).succeeded();

    Path real = Processes.real(folder);
    assertThat(left()).isEqualTo(1);
    Processes.kill(one -> one.worksIn(real, ""));
  }

  /** What is told of a program that does not end; its deadline comes after its first words. */
  private String killed(String script) throws Exception {
    String told = "";
    for (long deadlineMs = 500; !told.contains("was killed: "); deadlineMs *= 2) {
      assertThat(deadlineMs).as(told).isLessThan(DEADLINE_MS);
      try {
        Programs.run(marked(script, deadlineMs));
      } catch (KitException e) {
        told = e.getMessage();
        assertThat(told).contains("had not ended after " + deadlineMs + " ms and was killed");
      }
      Await.until("all are gone", () -> left() == 0);
    }
    return told;
  }

  @Test
  void hungProgramIsKilledWithAllThatItStarted() throws Exception {
    // A child, one in a session of its own, and one whose parent has ended.
    String script =
        "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); trap '' TERM; echo begun; wait";

    assertThat(killed(script)).endsWith("was killed: begun");
  }

  @Test
  void endlessPrinterIsKilledAtItsDeadline() throws Exception {
    assertThat(killed("yes")).contains("was killed: y");
  }

  @Test
  void interruptKillsItToo() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread runner =
        new Thread(
            () -> {
              try {
                Programs.run(marked("touch begun; sleep 1000", DEADLINE_MS));
              } catch (KitException | InterruptedException e) {
                thrown.set(e);
              }
              done.complete(null);
            });
    runner.start();
    Await.until("it runs", () -> Files.exists(folder.resolve("begun")));

    runner.interrupt();

    Await.until("the call has ended", done::isDone);
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(left()).isZero();
  }

  @Test
  void nothingIsLeftInTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    String before = System.setProperty("java.io.tmpdir", temporary.toString());
    try {
      Programs.run(shell("echo here"));
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }

    try (Stream<Path> files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }

  /** As on a disk that has no room for a file more. */
  private static Programs.Ended runWithoutTemporaryFolder(Program program) throws Exception {
    String before = System.setProperty("java.io.tmpdir", "/no-such-folder");
    try {
      return Programs.run(program);
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
  }

  @Test
  void runsWithoutItsOutputWhereNoFileCanBeMade() throws Exception {
    Programs.Ended ended = runWithoutTemporaryFolder(shell("echo here; exit 7"));

    assertThat(ended.status()).isEqualTo(7);
    assertThat(ended.output())
        .isEqualTo(
            "(its output could not be read: mkfifo in /no-such-folder failed: No such file or"
                + " directory)");
    assertThatThrownBy(ended::told).hasMessageContaining("could not be read");
    assertThat(runWithoutTemporaryFolder(shell("echo here").notedIn(folder)).told())
        .as("the controller's own folder has room")
        .isEqualTo("here\n");
  }

  @Test
  void aDamagedNoteIsNone() throws Exception {
    Files.writeString(folder.resolve("running-x"), "12 x\0\0");

    Programs.endFormer(folder);

    assertThat(notes()).isZero();
  }

  private long notes() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith("running-")).count();
    }
  }

  @Test
  void whatAKilledControllerHadUnderWayIsEndedWithAllThatItStarted() throws Exception {
    KilledController.leave(
        folder, "setsid sleep 1000 & (setsid sleep 1000 &); touch begun; sleep 1000");
    assertThat(left()).isGreaterThanOrEqualTo(3);
    assertThat(notes()).isEqualTo(1);

    Programs.endFormer(folder);

    assertThat(left()).isZero();
    assertThat(notes()).isZero();
  }

  @Test
  void whatWasLeftRunningByAProgramThatHasEndedSinceStays() throws Exception {
    KilledController.leave(
        folder, "sleep 1000 >/dev/null 2>&1 & touch begun; while [ ! -e go ]; do sleep 0.02; done");
    Files.createFile(folder.resolve("go"));
    Await.until("the program has ended", () -> left() == 1);

    Programs.endFormer(folder);

    assertThat(left()).isEqualTo(1);
    assertThat(notes()).isZero();
    Path real = Processes.real(folder);
    Processes.kill(one -> one.worksIn(real, ""));
  }

  @Test
  void noNoteIsLeftOfAProgramThatEnds() throws Exception {
    Programs.run(shell("exit 3").notedIn(folder));

    assertThat(notes()).isZero();
  }
}
