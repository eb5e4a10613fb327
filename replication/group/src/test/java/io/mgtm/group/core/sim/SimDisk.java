package io.mgtm.group.core.sim;

import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.TermRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** A member's folder, with what the system has not forced yet. It outlives the process. */
final class SimDisk {
  final UUID folder;
  final List<Entry> entries = new ArrayList<>();
  long base;
  long baseTerm;
  long durable;
  Checkpoint checkpoint;
  ByteBuffer content;

  /** The checkpoint before, which a member may still be sent. */
  Checkpoint previous;

  private ByteBuffer previousContent;
  TermRecord record;

  /** What is on disk when a planted fault forgets to store; else the same as the record. */
  TermRecord storedRecord;

  /** Of a witness: the position that is on disk. */
  private Checkpoint position;

  boolean mayHaveLost;

  /** A sync has failed, and what was not synced may be gone although the machine is up. */
  boolean syncFailed;

  SimDisk(UUID folder) {
    this.folder = folder;
  }

  long last() {
    return base + entries.size();
  }

  long lastTerm() {
    return entries.isEmpty() ? baseTerm : entries.get(entries.size() - 1).term();
  }

  Entry entry(long index) {
    return entries.get((int) (index - base - 1));
  }

  void keepUpTo(long index) {
    entries.subList((int) (index - base), entries.size()).clear();
    durable = Math.min(durable, index);
  }

  /** The machine dies. */
  void powerCut(SplittableRandom random) {
    loseUnforced(random);
    mayHaveLost = true;
  }

  /** The process dies of a sync that failed. */
  void failSync(SplittableRandom random) {
    loseUnforced(random);
    syncFailed = true;
  }

  boolean isHurt() {
    return mayHaveLost || syncFailed;
  }

  /** Of what was not forced, a part is gone. */
  private void loseUnforced(SplittableRandom random) {
    long unforced = last() - durable;
    long kept = random.nextInt(3) == 0 ? random.nextLong(unforced + 1) : 0;
    keepUpTo(durable + kept);
  }

  /** Drops the log up to an index that the checkpoint covers. */
  void dropThrough(long index) {
    baseTerm = index == base ? baseTerm : entry(index).term();
    entries.subList(0, (int) (index - base)).clear();
    base = index;
  }

  /** Keeps a checkpoint, and the one before. */
  void keep(Checkpoint newest, ByteBuffer itsContent) {
    previous = checkpoint;
    previousContent = content;
    checkpoint = newest;
    content = itsContent;
  }

  /** The content of a checkpoint, null when it is not kept. */
  ByteBuffer contentOf(Checkpoint of) {
    return of.equals(checkpoint) ? content : of.equals(previous) ? previousContent : null;
  }

  void install(Checkpoint installed, ByteBuffer itsContent) {
    entries.clear();
    base = installed.index();
    baseTerm = installed.term();
    durable = base;
    keep(installed, itsContent);
  }

  /** Of a witness: the next position is on disk. */
  void storePosition(Checkpoint stored) {
    position = stored;
  }

  /** Of a witness that starts. */
  void loadPosition() {
    base = position == null ? 0 : position.index();
    baseTerm = position == null ? 0 : position.term();
    checkpoint = position;
  }

  /** The record that a process begins with. */
  TermRecord recordOfStart(Fault fault, boolean witness) {
    if (storedRecord == null) {
      return TermRecord.fresh();
    }
    boolean power = mayHaveLost && fault != Fault.POWER_CUT_NOT_NOTICED;
    boolean sync = syncFailed && fault != Fault.FAILED_SYNC_FORGOTTEN;
    TermRecord r = storedRecord.started(!witness && (power || sync));
    return fault != Fault.POWER_CUT_NOT_NOTICED
        ? r
        : new TermRecord(r.term(), r.votedFor(), 1, r.standing(), r.initial(), r.founding(), false);
  }
}
