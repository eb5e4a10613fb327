package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.storage.StorageFiles;
import java.util.Optional;
import java.util.UUID;

/**
 * A member's name is given at each start, and what was promised under it is in the folder. Owner
 * thread.
 */
public final class FolderName {
  private FolderName() {}

  /**
   * Looks whether a folder, which is to be used without a group, is that of a member.
   *
   * @throws LogException with FORMAT when it is
   */
  public static void refuseMember(StorageFiles files, UUID folder) {
    Optional<TermStore.Stored> promised = new TermStore(files, "").load();
    if (promised.isPresent() || WitnessDisk.isIn(files)) {
      String whose =
          promised.stream()
              .flatMap(stored -> stored.record().initial().all().stream())
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
