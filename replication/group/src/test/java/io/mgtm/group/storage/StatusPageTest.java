package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.storage.StatusPage.Note;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StatusPageTest {
  private final UUID member = new UUID(1, 2);
  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));
  private final StatusPage page = StatusPage.open(disk, member);

  @Test
  void aNewPageSaysNothing() {
    assertThat(page.durable()).isZero();
    assertThat(page.noted(Note.CLEAN)).isEqualTo(-1);
    assertThat(page.noted(Note.TRUNCATION)).isEqualTo(-1);
    assertThat(page.noted(Note.RESTART)).isEqualTo(-1);
  }

  @Test
  void notesSurviveTheLossOfPowerAndClearedOnesDoNot() {
    page.note(Note.CLEAN, 0);
    page.note(Note.TRUNCATION, 7);
    page.note(Note.RESTART, 9);
    disk.losePower();
    StatusPage found = StatusPage.open(disk, member);
    assertThat(found.noted(Note.CLEAN)).isZero();
    assertThat(found.noted(Note.TRUNCATION)).isEqualTo(7);
    assertThat(found.noted(Note.RESTART)).isEqualTo(9);
    found.clear(Note.CLEAN);
    found.clear(Note.TRUNCATION);
    found.clear(Note.RESTART);
    disk.losePower();
    found = StatusPage.open(disk, member);
    assertThat(found.noted(Note.CLEAN)).isEqualTo(-1);
    assertThat(found.noted(Note.TRUNCATION)).isEqualTo(-1);
    assertThat(found.noted(Note.RESTART)).isEqualTo(-1);
  }

  @Test
  void theDurableIndexOutlivesADeathBetweenTwoStores() {
    page.raiseDurable(10);
    page.raiseDurable(20);
    page.raiseDurable(30);
    // The slot of 30 is half written: its number is there, its check is not.
    disk.map(StatusPage.NAME).buffer().putLong(8, 0);
    assertThat(StatusPage.open(disk, member).durable()).isEqualTo(20);
  }

  @Test
  void aResetDurableIndexNeverComesBack() {
    page.raiseDurable(10);
    page.raiseDurable(20);
    page.resetDurable(5);
    disk.losePower();
    assertThat(StatusPage.open(disk, member).durable()).isEqualTo(5);
  }

  @Test
  void aFailedForceIsKnownToTheNextProcessAndNoMoreOnceItIsCleared() {
    page.raiseDurable(10);
    assertThat(page.noted(Note.FAILED)).isEqualTo(-1);
    assertThat(page.noteFailed()).isTrue();
    disk.restartProcess();
    StatusPage found = StatusPage.open(disk, member);
    assertThat(found.noted(Note.FAILED)).isNotNegative();
    found.clear(Note.FAILED);
    disk.losePower();
    assertThat(StatusPage.open(disk, member).noted(Note.FAILED)).isEqualTo(-1);
  }

  @Test
  void theWrittenIndexOutlivesADeathBetweenTwoStores() {
    page.raiseWritten(1);
    page.raiseWritten(2);
    page.raiseWritten(3);
    assertThat(page.written()).isEqualTo(3);
    disk.map(StatusPage.NAME).buffer().putLong(7 * 16 + 8, 0);
    assertThat(StatusPage.open(disk, member).written()).isEqualTo(2);
    page.resetWritten(1);
    assertThat(page.written()).isEqualTo(1);
  }

  @Test
  void anotherMembersPageSaysNothing() {
    page.note(Note.CLEAN, 3);
    page.resetDurable(3);
    StatusPage found = StatusPage.open(disk, new UUID(1, 3));
    assertThat(found.noted(Note.CLEAN)).isEqualTo(-1);
    assertThat(found.durable()).isZero();
  }
}
