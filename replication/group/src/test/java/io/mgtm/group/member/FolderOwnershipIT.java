package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderOwnershipIT {
  @TempDir Path folder;

  @Test
  void aFolderOfARunningProcessIsRefusedByItsNameUntilThatDies() {
    try (ChildProcess child = new ChildProcess(folder)) {
      Await.until("the child's start", child::hasOpened);
      assertThatThrownBy(() -> DataDirectory.open(folder))
          .isInstanceOfSatisfying(
              LogException.class, e -> assertThat(e.category()).isEqualTo(Category.IN_USE))
          .hasMessageContaining("belongs to the running process " + child.pid() + ", started 20")
          .hasMessageContaining("stop it or choose another folder");
    }
    DataDirectory.open(folder).close();
  }

  @Test
  void aRefusedSecondOpeningDoesNotLoseTheFirstOnesLock() {
    try (DataDirectory directory = DataDirectory.open(folder)) {
      assertThatThrownBy(() -> DataDirectory.open(directory.path()))
          .isInstanceOf(LogException.class);
      try (ChildProcess child = new ChildProcess(folder)) {
        Await.until("the child's refusal", () -> !child.complaint().isEmpty());
        assertThat(child.complaint())
            .startsWith("REFUSED")
            .contains("the running process " + ProcessHandle.current().pid());
      }
    }
  }
}
