package io.mgtm.gtm.sim;

import io.mgtm.group.Durability;
import io.mgtm.group.ReplicatedLog;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.TreeSet;

/** A member's log as its engine sees it; notes what is appended, and carries planted faults. */
final class WatchedLog implements ReplicatedLog {
  /** Simulated batches are short, so that the log's files can be short. */
  private static final int ENTRY_BYTES_MAX = 6_000;

  private final ReplicatedLog log;
  private final StateTrace trace;
  private final Fault fault;
  private final Runnable answers;
  private final Runnable readsAlone;
  private final TreeSet<Long> forced = new TreeSet<>();
  private boolean allForced;

  /**
   * A log that nothing was appended to.
   *
   * @param answers told when its leader may answer a client now
   * @param readsAlone told when it need not ask others before it answers a query
   */
  WatchedLog(
      ReplicatedLog log, StateTrace trace, Fault fault, Runnable answers, Runnable readsAlone) {
    this.log = log;
    this.trace = trace;
    this.fault = fault;
    this.answers = answers;
    this.readsAlone = readsAlone;
  }

  /** From here on whatever is appended asks to be forced, as the node's configuration says. */
  void countAllAsForced() {
    allForced = true;
  }

  /** Entries of this leader up to an index that asked to be forced; each is named once. */
  Optional<Long> lastForcedUpTo(long index) {
    Long last = forced.floor(index);
    forced.headSet(index, true).clear();
    return Optional.ofNullable(last);
  }

  void forgetForced() {
    forced.clear();
  }

  @Override
  public boolean hasRoom(int bytes) {
    return log.hasRoom(Math.min(bytes, ENTRY_BYTES_MAX));
  }

  @Override
  public String noRoomReason() {
    return log.noRoomReason();
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    boolean late = fault == Fault.AHEAD_TAKEN_FOR_BUFFERED && durability == Durability.AHEAD;
    long index = log.append(payload, late ? Durability.BUFFERED : durability);
    trace.apply(index, payload);
    if (allForced || durability == Durability.REQUIRED) {
      forced.add(index);
    }
    return index;
  }

  @Override
  public boolean acknowledgesEarly() {
    return log.acknowledgesEarly();
  }

  @Override
  public boolean isLeading() {
    return log.isLeading();
  }

  @Override
  public long confirm() {
    long readIndex = log.confirm();
    if (readIndex <= log.confirmedReadIndex()) {
      readsAlone.run();
    }
    return readIndex;
  }

  @Override
  public boolean mayAnswer() {
    boolean may = log.mayAnswer();
    if (may && log.isLeading()) {
      answers.run();
    }
    return may;
  }

  @Override
  public long confirmedReadIndex() {
    return fault == Fault.READ_WITHOUT_CONFIRMATION ? Long.MAX_VALUE : log.confirmedReadIndex();
  }

  @Override
  public long committedIndex() {
    return fault == Fault.ACKNOWLEDGE_BEFORE_MAJORITY ? log.lastIndex() : log.committedIndex();
  }

  @Override
  public long stableIndex() {
    return log.stableIndex();
  }

  @Override
  public long sharedIndex() {
    return log.sharedIndex();
  }

  @Override
  public long lastIndex() {
    return log.lastIndex();
  }

  @Override
  public void close() {
    log.close();
  }
}
