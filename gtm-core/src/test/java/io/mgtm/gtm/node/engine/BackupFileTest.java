package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.node.TestGtm;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups as files, and the way back. */
class BackupFileTest {
  @TempDir private Path folder;
  private final GtmState state = new GtmState(10_000);

  private BackupFile backup() {
    state.beginEntry(7);
    for (int i = 0; i < 4_000; i++) {
      state.apply(new SequenceCommand.Init("d.sequence" + i + "\0", 1, 1, 9, 1, false));
    }
    state.apply(new SessionCommand.AnnounceMember("g1", "h:1"));
    return BackupFile.of(42, 43, state);
  }

  private static byte[] bytes(BackupFile.Content content) {
    StatePicture pieces = content::writeTo;
    return pieces.bytes();
  }

  private static GtmState decoded(BackupFile backup) {
    return CheckpointDecoder.decode(backup.state(0, backup.stateBytes()));
  }

  @Test
  void aBackupComesBackAsItWas() throws Exception {
    BackupFile backup = backup();
    Path file = Files.write(folder.resolve("b"), bytes(backup::writeTo));
    BackupFile read = BackupFile.open(file);
    assertThat(read.index()).isEqualTo(42);
    assertThat(read.takenMicros()).isEqualTo(43);
    assertThat(read.bytes()).isEqualTo(Files.size(file));
    assertThat(read.identity()).isEqualTo(backup.identity());
    assertThat(bytes(read::writeTo)).isEqualTo(bytes(backup::writeTo));
    assertThat(read.state(1, 5_000)).isEqualTo(backup.state(1, 5_000));
    assertThat(CheckpointEncoder.encode(decoded(read))).isEqualTo(CheckpointEncoder.encode(state));
  }

  @Test
  void aFileThatHasBecomeShorterIsAnError() throws Exception {
    Path file = Files.write(folder.resolve("b"), bytes(backup()::writeTo));
    BackupFile read = BackupFile.open(file);
    Files.write(file, new byte[40]);
    assertThatThrownBy(() -> read.state(0, 1_000))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("has become shorter");
    assertThatThrownBy(() -> Restore.place(folder.resolve("data"), read::writeTo))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has become shorter");
  }

  @Test
  void aDamagedBackupIsRefused() {
    byte[] whole = bytes(backup()::writeTo);
    for (int length : new int[] {0, 7, 30, whole.length - 1}) {
      assertThatThrownBy(() -> BackupFile.decode(Arrays.copyOf(whole, length)))
          .isInstanceOf(BackupFile.BadBackupException.class);
    }
    for (int at : new int[] {0, 9, 12, 40, whole.length - 1}) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      assertThatThrownBy(() -> BackupFile.decode(damaged))
          .isInstanceOf(BackupFile.BadBackupException.class);
    }
  }

  @Test
  void aBackupFillsANewFolderOnlyAndServesAGtmOfItsOwn() throws Exception {
    Path data = folder.resolve("data");
    Restore.place(data, backup()::writeTo);
    assertThatThrownBy(() -> Restore.place(data, backup()::writeTo))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not empty");
    for (int start = 0; start < 2; start++) {
      try (TestGtm gtm = TestGtm.in(folder).start()) {
        try (GtmClient client = GtmClient.connect(gtm.server().address())) {
          assertThat(client.nextValue("d.sequence3999\0")).isPositive();
        }
        Await.until("the file to go", () -> !Files.exists(data.resolve("restore")));
      }
    }
  }

  @Test
  void aRestoreMaySkipFurther() throws Exception {
    BackupFile backup = backup();
    GtmState before = decoded(backup);
    BackupFile skipping = BackupFile.decode(bytes(backup.skipping(500_000)));
    GtmState after = decoded(skipping);
    assertThat(after.counts().nextGxid() - before.counts().nextGxid())
        .isBetween(500_000L, 500_000L + 131_072);
    assertThat(after.counts().sequences()).isEqualTo(before.counts().sequences());
    assertThat(skipping.identity()).isNotEqualTo(backup.identity());
    assertThat(skipping.index()).isEqualTo(backup.index());
    assertThatThrownBy(() -> backup.skipping(3_000_000_000L))
        .isInstanceOf(BackupFile.BadBackupException.class)
        .hasMessageContaining("would pass the place where they wrap");
  }

  @Test
  void aRestoreThatWasInterruptedBeginsAgain() {
    BackupFile backup = backup();
    ReadIndexLog log = new ReadIndexLog();
    GtmStateMachine machine = new GtmStateMachine(GtmState.empty());
    FirstEntries.appendBackup(backup, 0, Restore.parts(backup), 50, machine, log);
    assertThat(log.entries.size()).isGreaterThan(2);
    GtmStateMachine interrupted = new GtmStateMachine(GtmState.empty());
    interrupted.apply(1, ByteBuffer.wrap(log.entries.get(0)));
    GtmStateMachine recovered = new GtmStateMachine(GtmState.empty());
    recovered.load(Pieces.of(ByteBuffer.wrap(interrupted.picture().bytes()))).run();
    assertThat(recovered.state().started()).isFalse();
    for (byte[] entry : log.entries) {
      recovered.apply(2, ByteBuffer.wrap(entry));
    }
    assertThat(recovered.picture().bytes()).isEqualTo(machine.picture().bytes());
    assertThat(recovered.state().counts().sequences()).isEqualTo(4_000);
    assertThat(recovered.state().memberAddresses()).isEmpty();
    assertThat(Restore.isDone(backup, recovered.state(), folder)).isTrue();
  }

  @Test
  void aGroupThatBeganWithoutTheBackupIsNotTakenForRestored() {
    BackupFile backup = backup();
    assertThat(Restore.isDone(backup, GtmState.empty(), folder)).isFalse();
    assertThatThrownBy(() -> Restore.isDone(backup, state, folder))
        .hasMessageContaining("empty this member's folder alone");
  }
}
