package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The folder of a GTM alone is no member's, and a member's no GTM's alone. */
class FolderUseTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(GroupMode.class)
  void folderOfAGtmAloneIsNoMembers(GroupMode mode) throws Exception {
    try (TestGtm alone = TestGtm.in(folder).start()) {
      alone.backend().begin();
    }
    try (TestGtm member = TestGtm.in(folder).aloneInAGroup(mode)) {
      assertThatThrownBy(member::start)
          .isInstanceOf(LogException.class)
          .hasMessageContaining("is that of a node without a group; start it without --members");
    }
  }

  @Test
  void folderOfAMemberIsNoGtmsAlone() throws Exception {
    try (TestGtm member = TestGtm.in(folder).aloneInAGroup(GroupMode.FIFO).start()) {
      member.backend().begin();
    }
    try (TestGtm alone = TestGtm.in(folder)) {
      assertThatThrownBy(alone::start)
          .isInstanceOf(LogException.class)
          .hasMessageContaining("is that of member g1 of a group; start it with --members");
    }
  }
}
