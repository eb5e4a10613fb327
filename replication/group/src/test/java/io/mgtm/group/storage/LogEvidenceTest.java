package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the status page proves, and what a log says of itself that has lost it. */
@ExtendWith(QuietLog.class)
class LogEvidenceTest {
  private static final UUID MEMBER = new UUID(7, 8);
  private static final LogSettings SETTINGS = new LogSettings(2048, 1, 4, 0, 0);
  private static final int RECORD = 32 + 24;

  private SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private LogStore open() {
    LogStore store =
        LogStore.open(
            new LogStore.Environment(disk, MEMBER, Runnable::run, System::nanoTime), SETTINGS, 0);
    return store;
  }

  private LogStore begin() {
    LogStore store = open();
    store.startAppending();
    return store;
  }

  private static void append(LogStore store, int entries) {
    for (int i = 0; i < entries; i++) {
      assertThat(store.hasRoom(24)).isTrue();
      store.append(1, ByteBuffer.allocate(24));
    }
  }

  private LogStore ofTenEntries() {
    LogStore store = begin();
    append(store, 10);
    store.force();
    return store;
  }

  /** A later record would prove more, and finding it may take long. */
  @Test
  void whatTheStatusPageProvesIsNotSearchedFor() {
    LogStore store = ofTenEntries();
    byte[] status = disk.read(StatusPage.NAME);
    append(store, 10);
    store.force();
    append(store, 1);
    disk.write(StatusPage.NAME, status);
    disk.flipBit(FileNames.segment(1), 64 + 4 * RECORD + 40, 2);
    assertThatThrownBy(this::open)
        .isInstanceOf(LogException.class)
        .hasMessageContaining("the status page says that index 10 was on disk");
  }

  private void assertMayLackEntries() {
    LogStore found = open();
    assertThat(found.lastIndex()).isEqualTo(10);
    assertThat(found.recovery().clean()).isFalse();
    assertThat(found.recovery().unsyncedMayBeLost()).isTrue();
    assertThat(open().recovery().unsyncedMayBeLost()).as("until it is stored").isTrue();
    found.startAppending();
    assertThat(open().recovery().unsyncedMayBeLost()).as("it was told once").isFalse();
  }

  @Test
  void aLogWithoutItsStatusPageMayLackEntries() {
    ofTenEntries();
    disk.delete(StatusPage.NAME);
    assertMayLackEntries();
  }

  @Test
  void aLogThatWasClosedCleanlyToo() {
    ofTenEntries().closeCleanly();
    disk.delete(StatusPage.NAME);
    assertMayLackEntries();
  }

  @Test
  void soDoesOneWhoseStatusPageIsCut() {
    ofTenEntries();
    byte[] whole = disk.read(StatusPage.NAME);
    disk.write(StatusPage.NAME, Arrays.copyOf(whole, whole.length / 2));
    assertMayLackEntries();
  }

  @Test
  void soDoesOneWhoseStatusPageIsOverwritten() {
    ofTenEntries();
    byte[] other = new byte[disk.read(StatusPage.NAME).length];
    new Random(1).nextBytes(other);
    disk.write(StatusPage.NAME, other);
    assertMayLackEntries();
  }

  @Test
  void aFirstStartMayBeInterruptedAnywhere() {
    for (int operations = 0; ; operations++) {
      for (boolean power : new boolean[] {false, true}) {
        disk = new SimulatedDisk(new Random(operations));
        disk.crashAfter(operations);
        boolean isWhole = true;
        try {
          begin();
        } catch (SimulatedCrash crash) {
          isWhole = false;
        }
        if (power) {
          disk.losePower();
        } else {
          disk.restartProcess();
        }
        LogStore found = begin();
        assertThat(found.lastIndex()).isZero();
        assertThat(found.recovery().unsyncedMayBeLost()).as("operation %d", operations).isFalse();
        if (isWhole && power) {
          assertThat(operations).isGreaterThan(5);
          return;
        }
      }
    }
  }

  @Test
  void aFileThatIsCutIsNotSaidToBeAnother() {
    ofTenEntries();
    byte[] whole = disk.read(FileNames.segment(1));
    disk.write(FileNames.segment(1), Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(this::open)
        .isInstanceOf(LogException.class)
        .hasMessageContaining("has 1024 bytes and was made with 2048: it was cut");
  }
}
