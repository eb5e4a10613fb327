package io.mgtm.group.member;

import static io.mgtm.group.Durability.AHEAD;
import static io.mgtm.group.Durability.BUFFERED;
import static io.mgtm.group.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStats;
import io.mgtm.group.storage.QuietLog;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(QuietLog.class)
class LoneLogTest {
  private final LoneLogFixture fixture = new LoneLogFixture();

  @Test
  void aRequiredEntryIsCommittedOnceItIsForced() {
    fixture.open();
    assertThat(fixture.begin).as("a start of its term").isEqualTo(1);
    fixture.threads.runAll();
    fixture.committed.clear();
    assertThat(fixture.append(BUFFERED)).isEqualTo(2);
    assertThat(fixture.log.committedIndex()).isEqualTo(2);
    assertThat(fixture.append(REQUIRED)).isEqualTo(3);
    assertThat(fixture.append(BUFFERED)).isEqualTo(4);
    assertThat(fixture.log.committedIndex()).isEqualTo(2);
    assertThat(fixture.threads.runForce()).isTrue();
    assertThat(fixture.log.committedIndex()).as("only the owner commits").isEqualTo(2);
    assertThat(fixture.threads.runOwner()).isTrue();
    assertThat(fixture.log.committedIndex()).isEqualTo(4);
    assertThat(fixture.committed).containsExactly(4L);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.machine.count()).isEqualTo(3);
    assertThat(fixture.log.committedIndex()).isEqualTo(5);
  }

  @Test
  void oneForceCoversAllThatWasAppendedBefore() {
    fixture.open();
    fixture.threads.runAll();
    fixture.committed.clear();
    long forces = fixture.log.stats().forces();
    for (int i = 0; i < 10; i++) {
      fixture.append(REQUIRED);
    }
    fixture.threads.runAll();
    assertThat(fixture.log.stats().forces()).isEqualTo(forces + 1);
    assertThat(fixture.committed).containsExactly(11L);
  }

  @Test
  void anAheadEntryIsForcedSoonAndHoldsBackOnlyFromTheNextOne() {
    fixture.open();
    fixture.append(AHEAD);
    fixture.append(BUFFERED);
    assertThat(fixture.log.committedIndex()).isEqualTo(3);
    fixture.append(AHEAD);
    assertThat(fixture.log.committedIndex()).isEqualTo(3);
    fixture.threads.runAll();
    assertThat(fixture.log.committedIndex()).isEqualTo(4);
    assertThat(fixture.log.stats().durableIndex()).isEqualTo(4);
  }

  @Test
  void allMeansThatEveryEntryIsForced() {
    fixture.settings = fixture.settings.withDurability(DurabilityMode.ALL);
    fixture.open();
    fixture.append(BUFFERED);
    assertThat(fixture.log.committedIndex()).isEqualTo(fixture.begin);
    fixture.threads.runAll();
    assertThat(fixture.log.committedIndex()).isEqualTo(fixture.begin + 1);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.machine.count()).isEqualTo(1);
    assertThat(fixture.machine.missingAt()).as("all was synced that was acknowledged").isZero();
  }

  @Test
  void theConfigurationSaysAtEachStartWhatIsForced() {
    fixture.open();
    fixture.settings = fixture.settings.withDurability(DurabilityMode.ALL);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.log.status().durability()).isEqualTo(DurabilityMode.ALL);
    fixture.settings = fixture.settings.withDurability(DurabilityMode.CRITICAL);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.log.status().durability()).isEqualTo(DurabilityMode.CRITICAL);
    fixture.append(BUFFERED);
    assertThat(fixture.log.committedIndex()).isEqualTo(fixture.begin + 1);
  }

  @Test
  void afterEachEndThatIsNotCleanEntriesMayBeMissing() {
    fixture.open();
    fixture.append(BUFFERED);
    fixture.disk.restartProcess();
    fixture.open();
    assertThat(fixture.wasClean()).isFalse();
    assertThat(fixture.machine.count()).isEqualTo(1);
    assertThat(fixture.machine.missingAt()).isEqualTo(fixture.begin);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.machine.missingAt()).isEqualTo(fixture.begin);
  }

  @Test
  void aReadNeedsNobodysWordAndNothingWaitsForTheTime() {
    fixture.open();
    fixture.threads.runAll();
    fixture.append(BUFFERED);
    assertThat(fixture.log.confirm()).isLessThanOrEqualTo(fixture.log.confirmedReadIndex());
    assertThat(fixture.threads.runOwner()).as("an append leaves nothing to do").isFalse();
  }

  @Test
  void whatWaitsIsToldThoughALaterAppendHasCommittedIt() {
    fixture.open();
    fixture.threads.runAll();
    fixture.committed.clear();
    fixture.append(REQUIRED);
    fixture.threads.runForce();
    fixture.append(BUFFERED);
    long last = fixture.append(BUFFERED);
    assertThat(fixture.log.committedIndex()).isEqualTo(last);
    fixture.threads.runAll();
    assertThat(fixture.committed).as("who holds replies is told").endsWith(last);
  }

  @Test
  void aTermThatIsLostCostsNoMoreThanAPowerCut() {
    fixture.open();
    fixture.append(REQUIRED);
    long term = fixture.log.status().term();
    fixture.log.close();
    fixture.disk.delete("term");
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(1);
    assertThat(fixture.log.status().term()).isGreaterThan(term);
    assertThat(fixture.machine.missingAt()).isEqualTo(fixture.begin);
  }

  @Test
  void entriesThatNobodyWaitsForAreForcedOnceTheyFillAFile() {
    fixture.open();
    fixture.threads.runAll();
    while (fixture.log.stats().segments() == 1) {
      fixture.append(BUFFERED);
    }
    assertThat(fixture.threads.runForce()).isTrue();
    assertThat(fixture.log.stats().durableIndex()).isEqualTo(fixture.log.lastIndex());
  }

  @Test
  void aFailedForceIsTheEndOfAllAcknowledgements() {
    fixture.open();
    fixture.threads.runAll();
    fixture.committed.clear();
    fixture.append(BUFFERED);
    fixture.append(REQUIRED);
    fixture.disk.failNextForce();
    fixture.threads.runAll();
    assertThat(fixture.failures)
        .singleElement()
        .extracting(LogException::category)
        .isEqualTo(Category.IO);
    assertThat(fixture.log.committedIndex()).isEqualTo(2);
    assertThatThrownBy(() -> fixture.append(REQUIRED))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.IO));
    fixture.threads.runAll();
    fixture.log.close();
    fixture.threads.runAll();
    assertThat(fixture.log.committedIndex()).isEqualTo(2);
    assertThat(fixture.committed).isEmpty();
    assertThat(fixture.failures).hasSize(1);
    assertThat(fixture.foldersClosed).isEqualTo(1);
    fixture.open();
    assertThat(fixture.wasClean()).isFalse();
    assertThat(fixture.machine.missingAt()).isEqualTo(fixture.begin);
  }

  @Test
  void aForceThatFailsAtTheCloseIsThrownAndTheStopIsNotClean() {
    fixture.open();
    fixture.append(BUFFERED);
    fixture.append(REQUIRED);
    fixture.threads.dropAll();
    fixture.disk.failNextForce();
    assertThatThrownBy(fixture.log::close)
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.IO));
    assertThat(fixture.committed).isEmpty();
    assertThat(fixture.foldersClosed).isEqualTo(1);
    fixture.open();
    assertThat(fixture.wasClean()).isFalse();
    assertThat(fixture.machine.missingAt()).isEqualTo(fixture.begin);
  }

  @Test
  void itMayBeClosedAfterItsOwnerHasEnded() {
    fixture.open();
    fixture.append(REQUIRED);
    fixture.threads.rejectForOwner();
    fixture.log.close();
    fixture.open();
    assertThat(fixture.wasClean()).isTrue();
  }

  @Test
  void aCleanCloseIsRemembered() {
    fixture.open();
    fixture.append(REQUIRED);
    fixture.append(BUFFERED);
    fixture.log.close();
    assertThat(fixture.foldersClosed).isEqualTo(1);
    fixture.log.close();
    assertThat(fixture.foldersClosed).as("a second close does nothing").isEqualTo(1);
    long hash = fixture.machine.hash();
    assertThatThrownBy(() -> fixture.append(BUFFERED)).isInstanceOf(IllegalStateException.class);
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.wasClean()).isTrue();
    assertThat(fixture.log.stats().checkpointIndex()).isEqualTo(3);
    assertThat(fixture.machine.count()).isEqualTo(2);
    assertThat(fixture.machine.missingAt()).isZero();
    assertThat(fixture.machine.hash()).isEqualTo(hash);
  }

  @Test
  void aFullDiskIsSaidBeforeItIsMetAndServiceResumesByItself() {
    fixture.open();
    fixture.fill(20);
    fixture.disk.setBytesMax(fixture.disk.usedBytes());
    int appended = fixture.fill(10_000);
    assertThat(appended).as("what room there was is used").isBetween(10, 200);
    assertThat(fixture.log.hasRoom(50)).isFalse();
    assertThat(fixture.log.noRoomReason()).contains("log-").contains("the disk is full");
    fixture.threads.runAll();
    assertThat(fixture.failures).isEmpty();
    fixture.disk.setBytesMax(Long.MAX_VALUE);
    fixture.passMs(100);
    assertThat(fixture.log.hasRoom(50)).as("this call only sets off another try").isFalse();
    fixture.threads.runAll();
    assertThat(fixture.fill(200)).isEqualTo(200);
    assertThat(fixture.log.lastIndex()).isEqualTo(fixture.begin + 220L + appended);
    fixture.disk.restartProcess();
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(220 + appended);
  }

  @Test
  void aFullDiskMakesItselfRoomByACheckpoint() {
    fixture.settings =
        GroupSettings.alone(DurabilityMode.CRITICAL, fixture.settings.segments(), 1L << 30);
    fixture.open();
    fixture.fill(300);
    int segments = fixture.log.stats().segments();
    // Room for a checkpoint, but not for another file of the log.
    fixture.disk.setBytesMax(fixture.disk.usedBytes() + 1_500);
    fixture.machine.keepCheckpointsSmall();
    fixture.fill(10_000);
    fixture.passMs(1_000);
    assertThat(fixture.log.hasRoom(50)).isFalse();
    fixture.threads.runAll();
    assertThat(fixture.log.stats().checkpoints()).isEqualTo(1);
    assertThat(fixture.log.stats().segments()).isLessThan(segments);
    assertThat(fixture.fill(100)).isEqualTo(100);
  }

  @Test
  void aStateMachineThatRefusesLeavesTheFolderAsItWas() {
    fixture.open();
    fixture.append(REQUIRED);
    fixture.log.close();
    assertThatThrownBy(
            () ->
                LoneLog.open(
                    fixture.parts(new ManualThreads()),
                    fixture.settings,
                    new ChainMachine() {
                      @Override
                      public Runnable load(Pieces encoded) {
                        throw new LogException(Category.FORMAT, "state version 9");
                      }
                    },
                    fixture.threads.owner(),
                    fixture))
        .isInstanceOf(LogException.class)
        .hasMessage("state version 9");
    assertThat(fixture.foldersClosed).isEqualTo(2);
    fixture.open();
    assertThat(fixture.wasClean()).as("the stop before").isTrue();
  }

  @Test
  void anEntryThatCanNeverFitIsTheCallersMistake() {
    fixture.open();
    assertThatThrownBy(() -> fixture.log.hasRoom(LoneLogFixture.SEGMENT_BYTES))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void appendingWithoutRoomIsRefusedAndTheLogGoesOn() {
    fixture.open();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                fixture.log.append(ByteBuffer.allocate(100), BUFFERED);
              }
            })
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE));
    fixture.threads.runAll();
    long last = fixture.log.lastIndex();
    assertThat(fixture.log.hasRoom(100)).isTrue();
    assertThat(fixture.log.append(ByteBuffer.allocate(100), BUFFERED)).isEqualTo(last + 1);
    assertThat(fixture.failures).isEmpty();
  }

  @Test
  void entryThatNoMemberWouldTakeIsRefused() {
    fixture.open();
    ByteBuffer tooLarge = ByteBuffer.allocate(ReplicatedLog.ENTRY_BYTES_MAX + 1);
    assertThatThrownBy(() -> fixture.log.hasRoom(tooLarge.remaining()))
        .hasMessageContaining("make it several entries");
    assertThatThrownBy(() -> fixture.log.append(tooLarge, BUFFERED))
        .hasMessageContaining("make it several entries");
  }

  @Test
  void theStatisticsSayWhatWasDone() {
    fixture.open();
    fixture.append(REQUIRED);
    fixture.threads.runAll();
    LogStats stats = fixture.log.stats();
    assertThat(stats.firstIndex()).isEqualTo(1);
    assertThat(stats.lastIndex()).isEqualTo(2);
    assertThat(stats.durableIndex()).isEqualTo(2);
    assertThat(stats.appendedBytes()).isGreaterThan(88);
    assertThat(stats.forces()).isPositive();
    assertThat(stats.segments()).isEqualTo(1);
    assertThat(stats.checkpointEpochMs()).isZero();
    fixture.passMs(7);
    fixture.log.close();
    assertThat(fixture.log.stats().checkpoints()).isEqualTo(1);
    assertThat(fixture.log.stats().checkpointIndex()).isEqualTo(2);
    assertThat(fixture.log.stats().checkpointEpochMs()).isEqualTo(7);
  }

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    LogSettings defaults = LogSettings.defaults();
    assertThat(defaults.segmentBytes()).isEqualTo(16 << 20);
    assertThat(defaults.sparesAhead()).isEqualTo(2);
    assertThat(defaults.sparesMax()).isEqualTo(8);
    assertThat(defaults.roomWaitMs()).isEqualTo(2_000);
    assertThat(defaults.roomRetryMs()).isEqualTo(500);
  }
}
