package io.mgtm.group.member;

import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogCursor;
import io.mgtm.group.storage.LogStore;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a node without a group as former versions left it: entries and checkpoints that
 * hold what the state machine wrote and nothing else, all of term 1, and no file {@code term}. It
 * becomes that of a group of one by a checkpoint that takes the place of the whole log.
 *
 * <p>The order of what is stored: the term, which keeps former versions away from then on; then the
 * checkpoint. Nothing of a group of one is of term 1, so whoever finds an entry of it at the end of
 * the log begins again. Owner thread.
 */
final class FormerLog {
  private static final Logger log = LoggerFactory.getLogger(FormerLog.class);

  /** Of all that former versions wrote. */
  static final long TERM = 1;

  private final LogStore store;
  private final StateMachine machine;

  private FormerLog(LogStore store, StateMachine machine) {
    this.store = store;
    this.machine = machine;
  }

  /** The record of a node without a group whose folder has none. */
  static TermRecord record(MemberId self, long lastTerm) {
    Membership alone = Membership.ofVoters(List.of(self));
    DurabilityState sure = lastTerm > TERM ? DurabilityState.SYNCED_ONLY : DurabilityState.INTACT;
    return new TermRecord(Math.max(TERM, lastTerm), null, 1, sure, alone, alone.founding(), false);
  }

  /**
   * Stores the record of this start, and converts a folder of a former version.
   *
   * @throws io.mgtm.group.LogException as {@link TermStore#begin}, the state machine and {@link
   *     CheckpointStore#load} throw; nothing was changed then
   */
  static TermRecord begin(
      TermStore terms, LogStore store, CheckpointStore checkpoints, StateMachine machine) {
    terms.load(); // it refuses the folder of a member, whose log would not be understood
    if (store.lastTerm() != TERM) {
      return terms.begin(store.recovery());
    }
    FormerLog former = new FormerLog(store, machine);
    former.load(checkpoints);
    TermRecord record = terms.begin(store.recovery());
    former.convert(checkpoints, record.initial());
    return record;
  }

  private void load(CheckpointStore checkpoints) {
    Optional<CheckpointFile> newest = checkpoints.load(store.firstIndex());
    newest.ifPresent(found -> machine.load(found.content()).run());
    try (LogCursor cursor = store.read(newest.map(CheckpointFile::index).orElse(0L) + 1)) {
      while (cursor.next()) {
        machine.apply(cursor.index(), cursor.payload());
      }
    }
  }

  /**
   * Puts the state in the place of the log. What such a log acknowledged without syncing it may be
   * missing after each end that was not clean.
   */
  private void convert(CheckpointStore checkpoints, Membership members) {
    store.startAppending();
    long index = store.lastIndex() + 1;
    if (!store.recovery().clean()) {
      machine.entriesMayBeMissing(index, false);
    }
    StatePicture state = GroupDisk.content(members, machine.picture());
    store.restartAfter(index, TERM, () -> checkpoints.save(index, TERM, state));
    log.info(
        "The log of a former version ends at entry {}, and goes on as that of a group of one",
        index);
  }
}
