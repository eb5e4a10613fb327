package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Standing;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.RecoveryReport;
import io.mgtm.group.storage.StorageFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TermStoreTest {
  private static final RecoveryReport FRESH = new RecoveryReport(true, true, 1, 0, 0);
  private static final RecoveryReport CLEAN = new RecoveryReport(false, true, 1, 9, 0);
  private static final RecoveryReport UNCLEAN = new RecoveryReport(false, false, 1, 9, 0);

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
        new TermRecord(8, other, 3, Standing.FORCED_ONLY, Membership.ofVoters(List.of(other)));
    inFolder(
        files -> {
          new TermStore(files, "boot", DurabilityMode.ALL).save(record);
          assertThat(new TermStore(files, "other", DurabilityMode.CRITICAL).load())
              .contains(new TermStore.Stored(record, true, "boot"));
        });
  }

  @Test
  void everyStartIsAnotherIncarnation() throws Exception {
    inFolder(
        files -> {
          TermStore store = new TermStore(files, "boot", DurabilityMode.CRITICAL);
          assertThat(store.begin(FRESH).incarnation()).isEqualTo(1);
          assertThat(store.begin(CLEAN).incarnation()).isEqualTo(2);
        });
  }

  @Test
  void deathOfTheProcessLosesNothingAndThatOfTheMachineMay() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "boot", DurabilityMode.CRITICAL).begin(FRESH);
          assertThat(standing(files, "boot", UNCLEAN, DurabilityMode.CRITICAL))
              .isEqualTo(Standing.INTACT);
          assertThat(standing(files, "second boot", CLEAN, DurabilityMode.CRITICAL))
              .isEqualTo(Standing.INTACT);
          assertThat(standing(files, "third boot", CLEAN, DurabilityMode.ALL))
              .isEqualTo(Standing.INTACT);
          assertThat(standing(files, "after a power cut", UNCLEAN, DurabilityMode.CRITICAL))
              .as("all was forced until then")
              .isEqualTo(Standing.INTACT);
          assertThat(standing(files, "fourth boot", UNCLEAN, DurabilityMode.CRITICAL))
              .isEqualTo(Standing.FORCED_ONLY);
          assertThat(standing(files, "fourth boot", CLEAN, DurabilityMode.CRITICAL))
              .as("it has not caught up since")
              .isEqualTo(Standing.FORCED_ONLY);
        });
  }

  @Test
  void machineThatCannotTellItsBootsCountsAsStartedAnew() throws Exception {
    inFolder(
        files -> {
          new TermStore(files, "", DurabilityMode.CRITICAL).begin(FRESH);
          assertThat(standing(files, "", UNCLEAN, DurabilityMode.CRITICAL))
              .isEqualTo(Standing.FORCED_ONLY);
        });
  }

  private static Standing standing(
      StorageFiles files, String boot, RecoveryReport found, DurabilityMode mode) {
    return new TermStore(files, boot, mode).begin(found).standing();
  }

  @Test
  void damagedOrMissingRecordIsRefused() throws Exception {
    inFolder(
        files -> {
          TermStore store = new TermStore(files, "boot", DurabilityMode.CRITICAL);
          assertThatThrownBy(() -> store.begin(CLEAN))
              .isInstanceOf(LogException.class)
              .hasMessageContaining("choose another folder");
          store.save(TermRecord.fresh());
          byte[] content = files.read("term");
          for (int at = 0; at < content.length; at++) {
            content[at] ^= 1;
            files.write("term", content);
            assertThatThrownBy(store::load).isInstanceOf(LogException.class);
            content[at] ^= 1;
          }
        });
  }
}
