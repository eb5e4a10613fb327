package io.mgtm.group.storage;

import java.util.UUID;

/** What a storage with a mistake would do, for simulations. */
public final class PlantedStorage {
  private PlantedStorage() {}

  /** Nobody knows any more that a force has failed. */
  public static void forgetFailedForce(StorageFiles files, UUID member) {
    if (files.list().contains(StatusPage.NAME)) {
      StatusPage page = StatusPage.open(files, member);
      if (page.hasFailed()) {
        page.clearFailed();
      }
    }
  }
}
