package io.mgtm.gtm.server;

import io.mgtm.group.Durability;
import io.mgtm.group.ReplicatedLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The log of a member of a group of mode lazy, as docs/replication.md has it: what the leader
 * appended is committed at once, unless it asks for more than BUFFERED; the others get it later, or
 * never.
 */
final class LazySimLog implements ReplicatedLog {
  /** One entry; without bytes it is a leader's first, which says that entries may be missing. */
  static final class Entry {
    private final byte[] bytes;
    private final Durability durability;

    Entry(byte[] bytes, Durability durability) {
      this.bytes = bytes;
      this.durability = durability;
    }

    byte[] bytes() {
      return bytes;
    }

    Durability durability() {
      return durability;
    }

    boolean isLossyStart() {
      return bytes == null;
    }
  }

  final List<Entry> entries = new ArrayList<>();

  /** The members that get what this one appends. */
  private final LazySimGroup group;

  /** Up to here all the others that are up have it. */
  private long had;

  private long committed;

  LazySimLog(LazySimGroup group) {
    this.group = group;
  }

  @Override
  public boolean hasRoom(int bytes) {
    return true;
  }

  @Override
  public String noRoomReason() {
    return "";
  }

  @Override
  public long append(ByteBuffer payload, Durability durability) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(payload.position(), bytes);
    entries.add(new Entry(bytes, durability));
    group.appended();
    return lastIndex();
  }

  /** As after an election: everything here stands for the others too. */
  void lead(boolean lossy) {
    had = 0;
    committed = entries.size();
    if (lossy) {
      entries.add(new Entry(null, Durability.REQUIRED));
    }
  }

  /** The others that are up have everything up to an index. */
  void had(long index) {
    had = Math.max(had, index);
    advance();
  }

  /** What may be acknowledged: see LeaderRole and DurabilityGate of the group. */
  void advance() {
    long ahead = 0;
    for (int i = (int) committed; i < entries.size(); i++) {
      long index = i + 1L;
      Durability durability = entries.get(i).durability();
      if (durability == Durability.REQUIRED && index > had) {
        return;
      }
      if (durability == Durability.AHEAD) {
        ahead = lastAheadBefore(i);
        if (ahead > had) {
          return;
        }
      }
      committed = index;
    }
  }

  private long lastAheadBefore(int i) {
    for (int before = i - 1; before >= 0; before--) {
      if (entries.get(before).durability() == Durability.AHEAD) {
        return before + 1L;
      }
    }
    return 0;
  }

  @Override
  public long confirmedTicket() {
    return Long.MAX_VALUE;
  }

  @Override
  public long committedIndex() {
    return committed;
  }

  @Override
  public long stableIndex() {
    return Math.min(had, committed);
  }

  @Override
  public long lastIndex() {
    return entries.size();
  }

  @Override
  public void close() {
    entries.clear();
  }
}
