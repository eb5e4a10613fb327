package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.storage.StorageFiles;
import java.util.UUID;

/**
 * A member's name is given at each start, and what was promised under it is in the folder. Owner
 * thread.
 */
final class FolderName {
  private FolderName() {}

  /**
   * Looks whether a folder is used as it was before.
   *
   * @param initial the membership that it began with
   * @param wasAlone whether it was that of a node without a group
   * @param folder its id, when it is to be that of such a node; null in a group
   * @throws LogException with FORMAT when it is not
   */
  static void check(StorageFiles files, Membership initial, boolean wasAlone, UUID folder) {
    if (wasAlone && folder == null) {
      throw new LogException(
          Category.FORMAT,
          "The data folder %s is that of a node without a group; start it without --members, or choose an empty folder and restore a backup of it there"
              .formatted(files.describe("")));
    }
    if (folder != null && !wasAlone) {
      String whose =
          initial.all().stream()
              .filter(member -> member.folder().equals(folder))
              .findFirst()
              .map(member -> "member " + member.name())
              .orElse("a member");
      throw new LogException(
          Category.FORMAT,
          "The data folder %s is that of %s of a group; start it with --members, or choose another folder"
              .formatted(files.describe(""), whose));
    }
  }

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
