package io.mgtm.gtm.node.engine;

import io.mgtm.group.Durability;
import io.mgtm.group.ReplicatedLog;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A leader's log in memory: what is committed and confirmed is up to the test. */
final class ReadIndexLog implements ReplicatedLog {
  final List<byte[]> entries = new ArrayList<>();
  final List<Durability> durabilities = new ArrayList<>();
  long committed;
  long readIndexes;
  long confirmed;
  long stable = Long.MAX_VALUE;
  long shared = Long.MAX_VALUE;
  boolean full;

  /** As in mode lazy. */
  boolean acknowledgesEarly;

  /** The answers to come of {@link #mayAnswer}; true when there is none. */
  final Deque<Boolean> mayAnswer = new ArrayDeque<>();

  @Override
  public boolean mayAnswer() {
    return mayAnswer.isEmpty() || mayAnswer.pop();
  }

  @Override
  public boolean hasRoom(int bytes) {
    return !full;
  }

  @Override
  public String noRoomReason() {
    return "the simulated disk is full";
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    byte[] copy = new byte[payload.remaining()];
    payload.get(payload.position(), copy);
    entries.add(copy);
    durabilities.add(durability);
    return lastIndex();
  }

  @Override
  public long confirm() {
    return ++readIndexes;
  }

  @Override
  public long confirmedReadIndex() {
    return confirmed;
  }

  @Override
  public long committedIndex() {
    return committed;
  }

  @Override
  public boolean acknowledgesEarly() {
    return acknowledgesEarly;
  }

  @Override
  public long stableIndex() {
    return Math.min(committed, stable);
  }

  @Override
  public long sharedIndex() {
    return Math.min(stableIndex(), shared);
  }

  @Override
  public long lastIndex() {
    return entries.size();
  }

  void commitAll() {
    committed = lastIndex();
  }

  void confirmAll() {
    confirmed = readIndexes;
  }

  /** What a member that follows makes of the entries. */
  GtmStateMachine replayed() {
    GtmStateMachine machine = new GtmStateMachine(io.mgtm.gtm.state.GtmState.empty());
    for (int i = 0; i < entries.size(); i++) {
      machine.apply(i + 1L, ByteBuffer.wrap(entries.get(i)));
    }
    return machine;
  }

  @Override
  public void close() {
    full = true;
  }
}
