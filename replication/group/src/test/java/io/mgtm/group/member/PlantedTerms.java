package io.mgtm.group.member;

import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.StorageFiles;

/** What a member with a mistake would store of itself, for simulations. */
public final class PlantedTerms {
  private PlantedTerms() {}

  /** A member claims that all it acknowledged was synced, whatever that was. */
  public static void claimSynced(StorageFiles files) {
    new TermStore(files, "")
        .load()
        .ifPresent(stored -> new TermStore(files, stored.boot()).save(synced(stored.record())));
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
}
