package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.Seeds;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessDeathIT {
  private static final int ROUNDS = 6;
  private static final int ROUNDS_LONG = 100;

  @TempDir Path folder;

  @Test
  void killedAtAnyMomentItHasEverythingItEverAppended() throws Exception {
    killAgainAndAgain(ROUNDS);
  }

  @Test
  @Tag("long")
  void andSoItHasInManyLives() throws Exception {
    killAgainAndAgain(ROUNDS_LONG);
  }

  private void killAgainAndAgain(int rounds) throws Exception {
    long seed = Seeds.one();
    Random random = new Random(seed);
    Path data = folder.resolve("data");
    long last = 0;
    for (int round = 0; round < rounds; round++) {
      last = Math.max(last, killOnce(data, random, last));
    }
    System.out.printf("%d deaths, %d entries, seed %d%n", rounds, last, seed);
    assertThat(last).as("entries appended in all rounds").isPositive();
    verifyHere(data, last);
  }

  /** Returns the last index that the child said it had appended, or found. */
  private static long killOnce(Path data, Random random, long last) {
    ChildProcess child = new ChildProcess(data);
    try (child) {
      if (random.nextInt(5) == 0) {
        pause(random.nextInt(800)); // while it starts
      } else {
        Await.until("the child's start", () -> child.hasOpened() || !child.complaint().isEmpty());
        pause(random.nextInt(300));
      }
    }
    assertThat(child.complaint()).isEmpty();
    assertThat(child.committed()).isLessThanOrEqualTo(child.appended() + 20);
    if (child.hasOpened()) {
      assertThat(child.found())
          .as("what it found after the death before")
          .isGreaterThanOrEqualTo(last);
      return Math.max(child.found(), child.appended());
    }
    return last;
  }

  /** How long the child lives is the test's subject, not something waited for. */
  private static void pause(int ms) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static void verifyHere(Path data, long last) throws Exception {
    ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
    try {
      owner.submit(() -> verify(data, last, owner)).get(180, TimeUnit.SECONDS);
    } finally {
      owner.shutdownNow();
    }
  }

  private static void verify(Path data, long last, ScheduledExecutorService owner) {
    ChainMachine machine = new ChainMachine();
    try (LoneLog log = LoneLog.open(data, LogChild.SETTINGS, machine, owner, new Ignoring())) {
      assertThat(log.store.recovery().clean()).isFalse();
      assertThat(machine.missingAt()).isEqualTo(log.lastIndex());
      assertThat(machine.count()).isGreaterThanOrEqualTo(last);
      assertThat(machine.hash()).isEqualTo(LogChild.expectedHash(machine.count()));
    }
  }

  private static final class Ignoring implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {}

    @Override
    public void failed(LogException cause) {
      throw cause;
    }
  }
}
