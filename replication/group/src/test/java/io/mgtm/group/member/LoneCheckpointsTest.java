package io.mgtm.group.member;

import static io.mgtm.group.Durability.BUFFERED;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.QuietLog;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When a lone log takes checkpoints, and what becomes of the log before them. */
@ExtendWith(QuietLog.class)
class LoneCheckpointsTest {
  private final LoneLogFixture fixture = new LoneLogFixture();

  @Test
  void aCheckpointIsTakenBetweenTheOwnersTasksAndNotWithinAnAppend() {
    fixture.open();
    fixture.threads.runAll();
    // The caller has applied two entries, and is about to append the first of them.
    byte[] payload = new byte[1500];
    for (int i = 0; i < 10; i++) {
      fixture.passMs(1_000);
      fixture.machine.applyOwn(ByteBuffer.wrap(payload));
      fixture.machine.applyOwn(ByteBuffer.wrap(payload));
      assertThat(fixture.log.hasRoom(payload.length)).isTrue();
      fixture.log.append(ByteBuffer.wrap(payload), BUFFERED);
      while (fixture.threads.runFiles()) {
        // files are made meanwhile
      }
      assertThat(fixture.log.hasRoom(payload.length)).isTrue();
      fixture.log.append(ByteBuffer.wrap(payload), BUFFERED);
      fixture.threads.runAll();
    }
    assertThat(fixture.log.stats().checkpoints()).isGreaterThan(1);
    fixture.disk.restartProcess();
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(20);
  }

  @Test
  void checkpointsBoundTheLogAndOneIsKeptInReserve() {
    fixture.open();
    for (int i = 0; i < 20; i++) {
      fixture.passMs(1_000);
      fixture.fill(50);
    }
    LogStats stats = fixture.log.stats();
    assertThat(stats.checkpoints()).isGreaterThan(5);
    assertThat(stats.segments()).as("two intervals of 8000 bytes at most").isLessThan(12);
    assertThat(stats.firstIndex()).isLessThan(stats.checkpointIndex() - 50);
    String newest =
        fixture.disk.list().stream()
            .filter(name -> name.startsWith("checkpoint"))
            .max(String::compareTo)
            .orElseThrow();
    fixture.disk.restartProcess();
    fixture.disk.flipBit(newest, 60, 1);
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(1_000);
    assertThat(fixture.log.stats().checkpointIndex()).isLessThan(stats.checkpointIndex());
  }

  @Test
  void aCheckpointThatCannotBeWrittenCostsNoService() {
    fixture.open();
    fixture.fill(10);
    fixture.machine.refuseCheckpoints(true);
    fixture.fill(400);
    assertThat(fixture.log.stats().checkpoints()).isZero();
    assertThat(fixture.log.stats().checkpointFailures())
        .as("tried once, the time for the next has not come")
        .isEqualTo(1);
    fixture.passMs(1_000);
    fixture.fill(20);
    assertThat(fixture.log.stats().checkpointFailures()).isEqualTo(2);
    fixture.machine.refuseCheckpoints(false);
    fixture.passMs(1_000);
    fixture.fill(20);
    assertThat(fixture.log.stats().checkpoints()).isEqualTo(1);
    assertThat(fixture.log.committedIndex()).isEqualTo(fixture.begin + 450);
  }

  @Test
  void aCloseWithoutACheckpointIsStillClean() {
    fixture.open();
    fixture.append(BUFFERED);
    fixture.machine.refuseCheckpoints(true);
    fixture.log.close();
    assertThat(fixture.log.stats().checkpointFailures()).isEqualTo(1);
    fixture.open();
    assertThat(fixture.wasClean()).isTrue();
    assertThat(fixture.machine.count()).isEqualTo(1);
  }
}
