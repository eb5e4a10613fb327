package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FolderNameTest {
  private static final UUID FOLDER = new UUID(1, 2);
  private static final Membership KNOWN =
      Membership.ofVoters(List.of(new MemberId("g1", FOLDER), new MemberId("g2", new UUID(3, 4))));

  @Test
  void folderOfAnotherNameIsRefused() {
    assertThatThrownBy(() -> FolderName.check(new MemberId("g2", FOLDER), KNOWN))
        .isInstanceOf(LogException.class)
        .hasMessage(
            "The data folder is that of member g1, and this one is named g2; name it so, or choose another folder");
  }

  @Test
  void ownFolderAndOneThatNobodyKnowsAreTaken() {
    for (Membership known : List.of(KNOWN, Membership.NONE)) {
      assertThatCode(() -> FolderName.check(new MemberId("g1", FOLDER), known))
          .doesNotThrowAnyException();
      assertThatCode(() -> FolderName.check(new MemberId("g1", new UUID(5, 6)), known))
          .doesNotThrowAnyException();
    }
  }
}
