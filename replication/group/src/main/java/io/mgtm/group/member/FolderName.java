package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;

/**
 * A member's name is chosen anew at each start, and what was promised under it is in the folder.
 */
final class FolderName {
  private FolderName() {}

  /**
   * Looks whether a folder is that of a member of another name.
   *
   * @param known the newest membership in the folder's log
   * @throws LogException with ACCESS when it is
   */
  static void check(MemberId self, Membership known) {
    known.all().stream()
        .filter(m -> m.folder().equals(self.folder()) && !m.name().equals(self.name()))
        .findFirst()
        .ifPresent(
            other -> {
              throw new LogException(
                  Category.ACCESS,
                  "The data folder is that of member %s, and this one is named %s; name it so, or choose another folder"
                      .formatted(other.name(), self.name()));
            });
  }
}
