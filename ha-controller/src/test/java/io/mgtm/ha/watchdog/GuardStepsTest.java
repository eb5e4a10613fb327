package io.mgtm.ha.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.mgtm.ha.kit.GuardStep;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardStepsTest {
  private static final int NOBODY = 65_534;

  @TempDir private Path folder;
  private Process program;
  private Path file;

  @BeforeEach
  void start() throws IOException {
    program = new ProcessBuilder("sleep", "1000").start();
    file = Files.writeString(folder.resolve("app.pid"), program.pid() + "\n");
  }

  @AfterEach
  void end() throws InterruptedException {
    program.destroyForcibly().waitFor();
  }

  private boolean isDone() throws IOException, InterruptedException {
    return GuardSteps.isDone(new GuardStep.KillPidFile(file.toString()));
  }

  private static void give(Path what) throws IOException {
    Files.setAttribute(what, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
  }

  @Test
  void killsTheProcessThatAPidFileNames() throws Exception {
    assertThat(isDone()).isFalse();
    program.waitFor();
    assertThat(isDone()).isTrue();
  }

  /** After a boot the number may be anybody's. */
  @Test
  void whoseNumberHasPassedToAnotherIsNotLookedFor() throws Exception {
    assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("of root").isEqualTo(0);
    give(file);
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
    assertThat(isDone()).isTrue();
    assertThat(program.isAlive()).isTrue();
  }

  /** Who may write the file names a process of somebody else, or leads to another's file. */
  @Test
  void doesNotKillAnotherUsersProcess() throws Exception {
    assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("of root").isEqualTo(0);
    Path link = Files.createSymbolicLink(folder.resolve("link.pid"), file);
    give(link);
    file = link;
    assertThatThrownBy(this::isDone).hasMessageContaining("belongs to user 65534");
    file = folder.resolve("app.pid");
    give(file);
    assertThatThrownBy(this::isDone).hasMessageContaining("belongs to user 65534");
    assertThat(program.isAlive()).isTrue();
  }

  /** A user's own folder leads to root's, with a file of the same name. */
  @Test
  void whoLeadsToAnothersFileEndsNoMoreThanTheirOwn() throws Exception {
    assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid")).as("of root").isEqualTo(0);
    Path home = Files.createDirectories(folder.resolve("home"));
    Path run = Files.createSymbolicLink(home.resolve("run"), folder);
    give(home);
    file = run.resolve("app.pid");
    assertThatThrownBy(this::isDone).hasMessageContaining("belongs to user 65534");
    assertThat(program.isAlive()).isTrue();
  }

  /** After a boot the number of root's own file may be anybody's as well. */
  @Test
  void whatBeganAfterTheFileWasWrittenIsNotTheOne() throws Exception {
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
    assertThat(isDone()).isTrue();
    assertThat(program.isAlive()).isTrue();
  }

  @Test
  void noMoreIsReadThanANumberAndNothingIsWaitedFor() throws Exception {
    file = Files.createSymbolicLink(folder.resolve("zero.pid"), Path.of("/dev/zero"));
    assertThatThrownBy(this::isDone).hasMessageContaining("is no regular file");
    file = folder.resolve("fifo.pid");
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    assertThatThrownBy(this::isDone).hasMessageContaining("is no regular file");
    file = folder.resolve("large.pid");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(3L << 30);
    }
    assertThatThrownBy(this::isDone).hasMessageContaining("begins with no pid");
  }

  /** As where the disk is read-only, or a user has taken all of its inodes. */
  @Test
  void programsRunWhereNoFileCanBeMade() throws Exception {
    String before = System.setProperty("java.io.tmpdir", "/no-such-folder");
    try {
      List<String> command = List.of("/bin/sh", "-c", "echo ends; exit $0", "0");
      assertThat(GuardSteps.isDone(new GuardStep.Run(command, 60_000))).isTrue();
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
  }
}
