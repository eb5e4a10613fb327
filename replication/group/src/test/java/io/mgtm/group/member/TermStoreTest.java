package io.mgtm.group.member;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.RecoveryReport;
import io.mgtm.group.storage.StorageFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TermStoreTest {
  private static final RecoveryReport FRESH = new RecoveryReport(true, true, 1, 0, 0, false);
  private static final RecoveryReport CLEAN = new RecoveryReport(false, true, 1, 9, 0, false);
  private static final RecoveryReport UNCLEAN = new RecoveryReport(false, false, 1, 9, 0, false);
  private static final RecoveryReport UNSYNCED_LOST =
      new RecoveryReport(false, false, 1, 9, 0, true);

  @TempDir Path folder;

  private interface Use {
    void with(StorageFiles files) throws Exception;
  }

  private void inFolder(Use use) throws Exception {
    try (DataDirectory directory = DataDirectory.open(folder.resolve("data"))) {
      use.with(directory.files());
    }
  }

  @Test
  void recordIsReadAsItWasStored() throws Exception {
    MemberId other = new MemberId("g2", new UUID(5, 6));
    TermRecord record =
        new TermRecord(
            8,
            other,
            3,
            DurabilityState.SYNCED_ONLY,
            Membership.ofVoters(List.of(other)),
            new UUID(7, 8),
            true);
    inFolder(
        files -> {
          new TermStore(files, "boot").save(record);
          assertThat(new TermStore(files, "other").load())
              .contains(new TermStore.Stored(record, "boot"));
        });
  }

  /** As the version before the founding wrote it. */
  @Test
  void recordOfVersion1GetsTheFoundingOfItsInitialMembership() throws Exception {
    Membership initial = Membership.ofVoters(List.of(new MemberId("g2", new UUID(5, 6))));
    ByteBuffer old = ByteBuffer.allocate(1_000).putLong(0x4D47544D5445524DL).putInt(1);
    old.putLong(8).putLong(3).put((byte) 0).put((byte) 0).put(initial.encoded());
    old.put((byte) 1).put((byte) 4).put("boot".getBytes(UTF_8));
    CRC32C crc = new CRC32C();
    crc.update(old.duplicate().flip());
    old.putInt((int) crc.getValue());
    inFolder(
        files -> {
          files.write("term", Arrays.copyOf(old.array(), old.position()));
          TermStore store = new TermStore(files, "boot");
          assertThat(store.load())
              .contains(
                  new TermStore.Stored(
                      new TermRecord(8, null, 3, DurabilityState.INTACT, initial, null, false),
                      "boot"));
          assertThat(store.begin(CLEAN).founding()).isEqualTo(initial.founding());
          assertThat(store.load().orElseThrow().record().founding()).isEqualTo(initial.founding());
        });
  }

  @Test
  void everyStartIsAnotherIncarnation() throws Exception {
    inFolder(
        files -> {
          TermStore store = new TermStore(files, "boot");
          assertThat(store.begin(FRESH).incarnation()).isEqualTo(1);
          assertThat(store.begin(CLEAN).incarnation()).isEqualTo(2);
        });
  }

  @Test
  void deathOfTheProcessLosesNothingAndThatOfTheMachineMay() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "boot").begin(FRESH);
          assertThat(durabilityState(files, "boot", UNCLEAN)).isEqualTo(DurabilityState.INTACT);
          assertThat(durabilityState(files, "second boot", CLEAN))
              .isEqualTo(DurabilityState.INTACT);
          assertThat(durabilityState(files, "after a power cut", UNCLEAN))
              .isEqualTo(DurabilityState.SYNCED_ONLY);
          assertThat(durabilityState(files, "after a power cut", CLEAN))
              .as("it has not caught up since")
              .isEqualTo(DurabilityState.SYNCED_ONLY);
        });
  }

  @Test
  void unsyncedEntriesMayBeLostInTheSameBoot() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "boot").begin(FRESH);
          assertThat(durabilityState(files, "boot", UNSYNCED_LOST))
              .isEqualTo(DurabilityState.SYNCED_ONLY);
        });
  }

  @Test
  void powerCutLosesNothingThatWasSyncedBeforeItWasSaid() throws Exception {
    inFolder(
        files -> {
          TermRecord first = new TermStore(files, "boot").begin(FRESH);
          new TermStore(files, "boot").save(synced(first));
          assertThat(durabilityState(files, "after a power cut", UNCLEAN))
              .isEqualTo(DurabilityState.INTACT);
          assertThat(durabilityState(files, "after a power cut", UNSYNCED_LOST))
              .isEqualTo(DurabilityState.INTACT);
        });
  }

  private static TermRecord synced(TermRecord r) {
    return new TermRecord(
        r.term(),
        r.votedFor(),
        r.incarnation(),
        r.durabilityState(),
        r.initial(),
        r.founding(),
        true);
  }

  /** Version 2 said there what a member was configured with, and others sent what they liked. */
  @Test
  void formerVersionsWordThatAllWasForcedProvesNothing() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "boot").save(synced(TermRecord.fresh()));
          ByteBuffer content = ByteBuffer.wrap(files.read("term"));
          for (int slot = 0; slot < content.capacity(); slot += content.capacity() / 2) {
            content.putInt(slot + 8, 2);
            int bytes = 24 + content.getInt(slot + 20);
            CRC32C crc = new CRC32C();
            crc.update(content.array(), slot, bytes);
            content.putInt(slot + bytes, (int) crc.getValue());
          }
          files.write("term", content.array());
          assertThat(durabilityState(files, "after a power cut", UNCLEAN))
              .isEqualTo(DurabilityState.SYNCED_ONLY);
        });
  }

  @Test
  void machineThatCannotTellItsBootsCountsAsStartedAnew() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "").begin(FRESH);
          assertThat(durabilityState(files, "", UNCLEAN)).isEqualTo(DurabilityState.SYNCED_ONLY);
        });
  }

  private static DurabilityState durabilityState(
      StorageFiles files, String boot, RecoveryReport found) {
    return new TermStore(files, boot).begin(found).durabilityState();
  }

  @Test
  void folderOfModeRaftIsRefused() throws Exception {
    inFolder(
        files -> {
          files.write("raft-term", new byte[8]);
          TermStore store = new TermStore(files, "boot");
          assertThatThrownBy(() -> store.begin(CLEAN))
              .isInstanceOf(LogException.class)
              .hasMessageContaining("take a backup with the version that wrote it");
        });
  }

  @Test
  void damagedOrMissingRecordIsRefused() throws Exception {
    inFolder(
        files -> {
          TermStore store = new TermStore(files, "boot");
          assertThatThrownBy(() -> store.begin(CLEAN))
              .isInstanceOf(LogException.class)
              .hasMessageContaining("it starts with an empty folder");
          store.save(TermRecord.fresh());
          files.write("term", new byte[files.read("term").length]);
          assertThatThrownBy(store::load)
              .isInstanceOf(LogException.class)
              .hasMessageContaining("term is damaged");
        });
  }
}
