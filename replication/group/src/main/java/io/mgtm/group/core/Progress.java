package io.mgtm.group.core;

import io.mgtm.group.Durability;
import java.util.ArrayDeque;
import java.util.Deque;

/** What a leader knows of another member. Owner thread. */
final class Progress {

  /** How entries are sent to it. */
  enum State {
    /** Where its log matches is not known: one message at a time. */
    PROBE,
    /** It matches: messages follow each other without waiting. */
    REPLICATE,
    /** It needs entries that the log no longer has. */
    CHECKPOINT
  }

  final MemberId member;

  /** It gets positions in place of entries. */
  final boolean witness;

  State state = State.PROBE;
  long incarnation;
  long match;
  long durable;
  long next;
  long ackedRound;

  /** What it said last of how long it lets no other lead. */
  long promisedMs;

  /** The highest round that it answered and promised as much as this leader counts on. */
  long leasedRound;

  long lastAckMs;

  /** Whether time was taken from its silence since it answered last. */
  private boolean excused;

  boolean probeSent;

  /** It was restarted in this term; a leader that commits what it has sent cannot count it. */
  boolean restarted;

  /** It lacks what it acknowledged, and is told so: it runs on an older copy of its folder. */
  boolean isOlderCopy;

  /** What it said last of what it is sure to have. */
  DurabilityState durabilityState = DurabilityState.INTACT;

  CoreLog.Checkpoint checkpoint;
  long checkpointOffset;

  /** The incarnation that was told that it is in step. */
  long toldIncarnation;

  /** When it matches up to here, it has everything that it ever acknowledged. */
  private long caughtUpAt;

  /** What was committed at {@link #goalMs}. */
  private long goal;

  private long goalMs;

  /** What it acknowledged in this term, whichever incarnation did, as far as it must have it. */
  private long had;

  private long hadDurable;

  /** What it said of its log before it answered this round may be late. */
  private long matchedRound;

  /** The last index of each message with entries that is not answered. */
  private final Deque<Long> inFlight = new ArrayDeque<>();

  /** Whether a connection to it broke since it answered last. */
  boolean hinted;

  /** It is sent entries in steps, not with each round; see {@link Rounds}. */
  boolean spare;

  /** How many of its answers were of use while all were asked. */
  long firsts;

  Progress(MemberId member, boolean witness, long next, long nowMs) {
    this.member = member;
    this.witness = witness;
    this.next = next;
    this.lastAckMs = nowMs;
  }

  /**
   * Notes an answer's incarnation. What a former one acknowledged is forgotten: the machine may
   * have lost it.
   *
   * @param leader the state of the member that leads
   * @return false when the answer is of a former one
   */
  boolean isCurrent(long answering, DurabilityState durabilityState, CoreState leader) {
    if (answering > incarnation) {
      long lastIndex = leader.log.lastIndex();
      restarted = incarnation > 0;
      incarnation = answering;
      caughtUpAt = lastIndex;
      goal = lastIndex;
      goalMs = leader.nowMs;
      isOlderCopy = false;
      hadDurable = durabilityState == DurabilityState.OLDER_COPY ? 0 : hadDurable;
      had = durabilityState == DurabilityState.INTACT ? lastCounted(leader) : hadDurable;
      match = 0;
      durable = 0;
      probe(Math.min(next, lastIndex + 1));
    }
    return answering == incarnation;
  }

  /**
   * How far it must have what it acknowledged as written when it is intact. What was to be synced
   * first nobody counts on, so that a power cut may have taken it.
   */
  private long lastCounted(CoreState leader) {
    long last = Math.max(hadDurable, Math.min(had, leader.log.baseIndex()));
    for (long index = last + 1; index <= had; ) {
      for (Entry entry : leader.log.read(index, leader.settings.batchBytesMax())) {
        if (index <= had && entry.durability() != Durability.REQUIRED) {
          last = index;
        }
        index++;
      }
    }
    return last;
  }

  /** It has answered. */
  void answered(long nowMs) {
    lastAckMs = nowMs;
    excused = false;
    hinted = false;
  }

  /** So much of its silence the leader was silent itself; that counts once until it answers. */
  void excuse(long ms) {
    lastAckMs += excused ? 0 : ms;
    excused = true;
  }

  boolean isSpare() {
    return spare && state == State.REPLICATE;
  }

  boolean isCaughtUp() {
    return match >= caughtUpAt;
  }

  void probe(long from) {
    state = State.PROBE;
    next = Math.max(from, match + 1);
    probeSent = false;
    checkpoint = null;
    inFlight.clear();
  }

  /**
   * Whether it has all that was committed an election timeout ago. What is committed now it may
   * never have: while it acknowledges that, more comes. See section 4.2.1 of Ongaro's dissertation.
   */
  boolean keepsUp(CoreState leader) {
    if (match < goal) {
      return false;
    }
    boolean soon = leader.nowMs - goalMs < leader.settings.electionTimeoutMs();
    goal = leader.commitIndex;
    goalMs = leader.nowMs;
    return soon || match >= goal;
  }

  /** Whether an answer shows that it lacks what it acknowledged. */
  boolean lacks(Message.AppendReply m) {
    if (m.round() <= matchedRound) {
      return false;
    }
    return witness
        ? m.hintIndex() > 0 && m.hintIndex() - 1 < Math.min(m.index(), had)
        : !m.matched() && m.hintIndex() < Math.min(m.index(), had);
  }

  void matched(long index, long durableIndex, long round) {
    match = Math.max(match, index);
    durable = Math.max(durable, Math.min(durableIndex, match));
    had = Math.max(had, match);
    hadDurable = Math.max(hadDurable, durable);
    matchedRound = Math.max(matchedRound, round);
    next = Math.max(next, match + 1);
    while (!inFlight.isEmpty() && inFlight.peekFirst() <= match) {
      inFlight.removeFirst();
    }
    if (state == State.PROBE || (state == State.CHECKPOINT && match >= checkpoint.index())) {
      state = State.REPLICATE;
      checkpoint = null;
      next = match + 1;
    }
  }

  boolean maySend(int inFlightMax) {
    return switch (state) {
      case PROBE -> !probeSent;
      case REPLICATE -> inFlight.size() < inFlightMax;
      case CHECKPOINT -> false;
    };
  }

  /** Everything up to here is sent and was not refused. */
  long sentIndex() {
    return state == State.REPLICATE ? next - 1 : match;
  }

  void sent(long lastIndex) {
    if (state == State.PROBE) {
      probeSent = true;
    } else {
      inFlight.addLast(lastIndex);
      next = lastIndex + 1;
    }
  }
}
