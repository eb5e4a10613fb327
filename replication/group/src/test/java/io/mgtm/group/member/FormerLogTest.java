package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStore;
import io.mgtm.group.storage.QuietLog;
import io.mgtm.group.storage.SimulatedCrash;
import io.mgtm.group.storage.VoteFile;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The folder of a node without a group as versions before the group of one have left it. */
@ExtendWith(QuietLog.class)
class FormerLogTest {
  private static final int ENTRIES = 200;
  private static final int CHECKPOINT = 150;

  private LoneLogFixture fixture = new LoneLogFixture();

  /** As those versions did: entries and checkpoints are the state machine's bytes, in term 1. */
  private long write(boolean clean) {
    fixture = new LoneLogFixture();
    ChainMachine machine = new ChainMachine();
    CheckpointStore checkpoints = new CheckpointStore(fixture.disk, LoneLogFixture.MEMBER);
    LogStore store =
        LogStore.open(
            new LogStore.Environment(
                fixture.disk, LoneLogFixture.MEMBER, Runnable::run, () -> fixture.nanos),
            new LogSettings(LoneLogFixture.SEGMENT_BYTES, 1, 4, 0, 100),
            0);
    store.startAppending();
    for (int i = 1; i <= ENTRIES; i++) {
      byte[] payload = new byte[40];
      payload[0] = (byte) i;
      machine.applyOwn(ByteBuffer.wrap(payload));
      assertThat(store.hasRoom(payload.length)).isTrue();
      assertThat(store.append(1, ByteBuffer.wrap(payload))).isEqualTo(i);
      if (i == CHECKPOINT / 2 || i == CHECKPOINT) {
        store.force();
        checkpoints.save(i, 1, machine.picture());
        store.dropPrefix(i == CHECKPOINT ? CHECKPOINT / 2 : 0);
      }
    }
    store.force();
    if (clean) {
      store.closeCleanly();
    }
    fixture.disk.restartProcess();
    return machine.hash();
  }

  @Test
  void itsStateGoesOnInAGroupOfOne() {
    long hash = write(true);
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(ENTRIES);
    assertThat(fixture.machine.hash()).isEqualTo(hash);
    assertThat(fixture.machine.missingAt()).isZero();
    assertThat(fixture.log.stats().firstIndex()).isEqualTo(ENTRIES + 2);
    assertThat(fixture.append(Durability.REQUIRED)).isEqualTo(ENTRIES + 3);
    fixture.threads.runAll();
    fixture.reopenAfterPowerLoss();
    assertThat(fixture.machine.count()).isEqualTo(ENTRIES + 1);
  }

  @Test
  void afterAnEndThatWasNotCleanEntriesMayBeMissing() {
    write(false);
    fixture.open();
    assertThat(fixture.machine.count()).isEqualTo(ENTRIES);
    assertThat(fixture.machine.missingAt()).isEqualTo(ENTRIES + 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whereverTheConversionIsInterruptedTheNextStartGoesOn(boolean losePower) {
    boolean interrupted = true;
    for (int operations = 0; interrupted; operations++) {
      long hash = write(true);
      fixture.disk.crashAfter(operations);
      interrupted = isInterrupted();
      if (losePower) {
        fixture.reopenAfterPowerLoss();
      } else {
        fixture.disk.restartProcess();
        fixture.open();
      }
      assertThat(fixture.machine.count()).as("after %d operations", operations).isEqualTo(ENTRIES);
      assertThat(fixture.machine.hash()).isEqualTo(hash);
      fixture.append(Durability.REQUIRED);
      fixture.threads.runAll();
      fixture.reopenAfterPowerLoss();
      assertThat(fixture.machine.count()).isEqualTo(ENTRIES + 1);
      assertThat(operations).isLessThan(1_000);
    }
  }

  /** Nothing that a former version would not understand may stand there before it is refused. */
  private boolean isInterrupted() {
    try {
      fixture.open();
      return false;
    } catch (SimulatedCrash crash) {
      fixture.disk.restartProcess();
      CheckpointStore checkpoints = new CheckpointStore(fixture.disk, LoneLogFixture.MEMBER);
      if (checkpoints.newestIndex() > ENTRIES) {
        assertIsRefusedByAFormerVersion();
      }
      return true;
    }
  }

  private void assertIsRefusedByAFormerVersion() {
    assertThatThrownBy(() -> new VoteFile(fixture.disk, "term", 0x4D47544D5445524DL, 4).read(0))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.FORMAT))
        .hasMessage(
            "simulated/term has version 5 and this program reads 1 to 4; start the newer program");
  }

  @Test
  void aFormerVersionRefusesWhatBecameOfIt() {
    write(true);
    fixture.open();
    assertIsRefusedByAFormerVersion();
  }

  @Test
  void aStateThatCannotBeReadLeavesItAsItWas() {
    write(true);
    ManualThreads threads = new ManualThreads();
    assertThatThrownBy(
            () ->
                LoneLog.open(
                    fixture.parts(threads),
                    fixture.settings,
                    new ChainMachine() {
                      @Override
                      public void apply(long index, ByteBuffer payload) {
                        throw new LogException(Category.FORMAT, "entry version 9");
                      }
                    },
                    threads.owner(),
                    fixture))
        .hasMessage("entry version 9");
    assertThat(fixture.disk.list()).doesNotContain("term");
  }
}
