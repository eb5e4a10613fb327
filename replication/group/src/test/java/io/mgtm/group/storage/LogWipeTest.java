package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A wipe that dies between zeroing memory and forcing the zeros, and a loss of power after the next
 * start: nothing that was removed comes back, at whatever operation the death came.
 */
@ExtendWith(QuietLog.class)
class LogWipeTest {
  private static final UUID MEMBER = new UUID(7, 8);
  private static final LogSettings SETTINGS = new LogSettings(16_384, 1, 4, 0, 0);

  /** The size of records is chosen so that one begins where a page of 4096 bytes does. */
  private static final int PAYLOAD_BYTES = 24;

  private static final long FIRST_OF_SECOND_PAGE = 1 + (4096 - 64) / (32 + PAYLOAD_BYTES);

  /** Removed are some entries of the first page, all of others, and a second segment. */
  private static final long REMOVED_FROM = FIRST_OF_SECOND_PAGE - 3;

  private static final long LAST = 400;
  private static final int OLD_TERM = 1;
  private static final int NEW_TERM = 2;
  private static final int DISKS = 8;

  /** More operations than a wipe or a start with a wipe has. */
  private static final int OPERATIONS = 64;

  private SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private LogStore open() {
    LogStore store =
        LogStore.open(
            new LogStore.Environment(disk, MEMBER, Runnable::run, System::nanoTime), SETTINGS, 0);
    store.startAppending();
    return store;
  }

  private static void append(LogStore store, int term, long through) {
    while (store.lastIndex() < through) {
      assertThat(store.hasRoom(PAYLOAD_BYTES)).isTrue();
      store.append(term, ByteBuffer.allocate(PAYLOAD_BYTES));
    }
  }

  private LogStore openNew(long seed) {
    disk = new SimulatedDisk(new Random(seed));
    return open();
  }

  private boolean diesAt(int operation, Runnable change) {
    disk.crashAfter(operation);
    try {
      change.run();
      disk.restartProcess();
      return false;
    } catch (SimulatedCrash died) {
      disk.restartProcess();
      return true;
    }
  }

  /** New entries up to the end of the first page; where old ones follow, they would fit. */
  private void assertNothingComesBack(LogStore store) {
    append(store, NEW_TERM, FIRST_OF_SECOND_PAGE - 1);
    store.force();
    disk.losePower();
    LogStore found = open();
    assertThat(found.lastIndex()).as("last index").isEqualTo(FIRST_OF_SECOND_PAGE - 1);
    assertThat(found.lastTerm()).as("last term").isEqualTo(NEW_TERM);
  }

  @Test
  void aTruncationThatDiedIsFinishedOnDisk() {
    int finished = 0;
    for (int seed = 0; seed < DISKS; seed++) {
      boolean died = true;
      for (int operation = 0; died; operation++) {
        assertThat(operation).isLessThan(OPERATIONS);
        LogStore store = openNew(seed);
        append(store, OLD_TERM, LAST);
        store.force();
        died = diesAt(operation, () -> store.truncateSuffix(REMOVED_FROM));
        LogStore found = open();
        if (found.lastIndex() != LAST) {
          assertThat(found.lastIndex()).isEqualTo(REMOVED_FROM - 1);
          finished++;
          assertNothingComesBack(found);
        }
      }
    }
    assertThat(finished).isGreaterThan(5 * DISKS);
  }

  @Test
  void aTruncationThatDiesAgainWhileItIsFinishedLeavesALogThatOpens() {
    for (int seed = 0; seed < DISKS; seed++) {
      for (int operation = 0; operation < 4; operation++) {
        boolean died = true;
        for (int second = 0; died; second++) {
          assertThat(second).isLessThan(OPERATIONS);
          LogStore store = openNew(seed);
          append(store, OLD_TERM, LAST);
          store.force();
          diesAt(operation, () -> store.truncateSuffix(REMOVED_FROM));
          died = diesAt(second, this::open);
          disk.losePower();
          LogStore found = open();
          if (found.lastIndex() != LAST) {
            assertThat(found.lastIndex()).isEqualTo(REMOVED_FROM - 1);
            assertNothingComesBack(found);
          }
        }
      }
    }
  }

  @Test
  void aTornTailWhoseWipeDiedIsWipedOnDisk() {
    for (int seed = 0; seed < DISKS; seed++) {
      boolean died = true;
      for (int operation = 0; died; operation++) {
        assertThat(operation).isLessThan(OPERATIONS);
        LogStore store = openNew(seed);
        append(store, OLD_TERM, REMOVED_FROM - 1);
        store.force();
        append(store, OLD_TERM, FIRST_OF_SECOND_PAGE + 100);
        int torn = 64 + (int) (REMOVED_FROM - 1) * (32 + PAYLOAD_BYTES);
        disk.flipBit(FileNames.segment(1), torn + 40, 2);
        died = diesAt(operation, this::open);
        LogStore found = open();
        assertThat(found.lastIndex()).isEqualTo(REMOVED_FROM - 1);
        assertNothingComesBack(found);
      }
    }
  }

  @Test
  void aWipeWhoseForceFailedIsDoneAgain() {
    for (int seed = 0; seed < DISKS; seed++) {
      LogStore store = openNew(seed);
      append(store, OLD_TERM, FIRST_OF_SECOND_PAGE + 100);
      store.force();
      assertThat(store.segmentCount()).as("the wipe that fails is that of the end").isEqualTo(1);
      disk.failNextForce();
      assertThatThrownBy(() -> store.truncateSuffix(REMOVED_FROM)).isInstanceOf(LogException.class);
      disk.restartProcess();
      LogStore found = open();
      assertThat(found.lastIndex()).isEqualTo(REMOVED_FROM - 1);
      assertNothingComesBack(found);
    }
  }
}
