package io.mgtm.query.fleet;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps commits apart from the snapshots that servers take which do not lead. A commit is inside
 * from before the first server is told until the leader, which commits last, has answered. So what
 * is committed in such a snapshot is committed at the leader, and the other way round. Where both
 * come they take turns: all that wait of one kind are let in together. Any thread.
 */
public final class SnapshotGate {
  /** What passes. */
  public enum Kind {
    COMMIT,
    SNAPSHOT
  }

  private final Map<Kind, List<Runnable>> waiting = new EnumMap<>(Kind.class);

  /** Of which kind those inside are; of either where there is none. */
  private Kind kind = Kind.COMMIT;

  private int inside;

  /** One in which nobody is. */
  public SnapshotGate() {
    for (Kind one : Kind.values()) {
      waiting.put(one, new ArrayList<>());
    }
  }

  private static Kind other(Kind than) {
    return than == Kind.COMMIT ? Kind.SNAPSHOT : Kind.COMMIT;
  }

  /**
   * Lets one in.
   *
   * @param later called when it is inside, by any thread, where it is not at once
   * @return whether it is inside
   */
  public synchronized boolean enter(Kind of, Runnable later) {
    if (inside > 0 && (kind != of || !waiting.get(other(of)).isEmpty())) {
      waiting.get(of).add(later);
      return false;
    }
    kind = of;
    inside++;
    return true;
  }

  /**
   * One does not wait any more.
   *
   * @return false where it is inside, and is to leave
   */
  public synchronized boolean withdraw(Kind of, Runnable later) {
    return waiting.get(of).remove(later);
  }

  /** One that was inside is not. */
  public void leave() {
    List<Runnable> next = List.of();
    synchronized (this) {
      inside--;
      if (inside == 0) {
        kind = waiting.get(other(kind)).isEmpty() ? kind : other(kind);
        next = List.copyOf(waiting.get(kind));
        waiting.get(kind).clear();
        inside = next.size();
      }
    }
    next.forEach(Runnable::run);
  }
}
