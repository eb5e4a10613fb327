package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.StorageFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WitnessDiskTest {
  private static final Membership GROUP =
      Membership.ofVoters(List.of(new MemberId("g1", new UUID(1, 2)))).withWitness("g3");

  @TempDir private Path folder;
  private DataDirectory directory;
  private StorageFiles files;

  @BeforeEach
  void open() {
    directory = DataDirectory.open(folder.resolve("data"));
    files = directory.files();
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void storeTerm() {
    new TermStore(files, "boot").save(TermRecord.fresh());
  }

  @Test
  void positionIsReadAsItWasStored() {
    WitnessDisk begun = WitnessDisk.open(files);
    assertThat(begun.lastIndex()).isZero();
    assertThat(begun.membership()).isEqualTo(Membership.NONE);
    storeTerm();
    begun.install(Checkpoint.position(17, 4, GROUP));
    WitnessDisk again = WitnessDisk.open(files);
    assertThat(again.lastIndex()).isEqualTo(17);
    assertThat(again.termAt(17)).isEqualTo(4);
    assertThat(again.durableIndex()).isEqualTo(17);
    assertThat(again.membership()).isEqualTo(GROUP);
    assertThat(again.hasRoom()).isFalse();
  }

  @Test
  void folderOfAMemberWithDataIsRefused() {
    storeTerm();
    assertThatThrownBy(() -> WitnessDisk.open(files))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("a member that keeps data");
  }

  @Test
  void folderOfALogWithoutAGroupIsRefused() {
    files.write("log-0000000000000000001.seg", new byte[8]);
    assertThatThrownBy(() -> WitnessDisk.open(files))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("holds a log, and a witness has none");
  }

  @Test
  void folderOfAWitnessIsRefusedToAMemberWithData() {
    assertThatCode(() -> WitnessDisk.refuseIn(files)).doesNotThrowAnyException();
    WitnessDisk.open(files);
    assertThatThrownBy(() -> WitnessDisk.refuseIn(files))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("the folder of a witness");
  }

  @Test
  void positionWithoutATermIsRefused() {
    WitnessDisk.open(files).install(Checkpoint.position(17, 4, GROUP));
    assertThatThrownBy(() -> WitnessDisk.open(files))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("could vote twice");
  }
}
