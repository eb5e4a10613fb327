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

  /** One that passes, or waits for it. */
  public static final class Pass {
    private final Kind kind;
    private final Runnable later;

    /** In which turn it is inside; 0 where it is not. */
    private long turn;

    /**
     * One that has not come.
     *
     * @param later called when it is inside, by any thread, where it is not at once
     */
    public Pass(Kind kind, Runnable later) {
      this.kind = kind;
      this.later = later;
    }
  }

  private final Map<Kind, List<Pass>> waiting = new EnumMap<>(Kind.class);

  /** Of which kind those inside are; of either where there is none. */
  private Kind kind = Kind.COMMIT;

  private int inside;

  private long turn = 1;

  /** One in which nobody is. */
  public SnapshotGate() {
    for (Kind one : Kind.values()) {
      waiting.put(one, new ArrayList<>());
    }
  }

  private static Kind other(Kind than) {
    return than == Kind.COMMIT ? Kind.SNAPSHOT : Kind.COMMIT;
  }

  /** Lets one in, at once or later; whether at once. */
  public synchronized boolean enter(Pass pass) {
    if (inside > 0 && (kind != pass.kind || !waiting.get(other(kind)).isEmpty())) {
      waiting.get(pass.kind).add(pass);
      return false;
    }
    if (kind != pass.kind) {
      kind = pass.kind;
      turn++;
    }
    admit(pass);
    return true;
  }

  private void admit(Pass pass) {
    pass.turn = turn;
    inside++;
  }

  /**
   * One does not wait any more.
   *
   * @return false where it is inside, or is about to be told so
   */
  public synchronized boolean withdraw(Pass pass) {
    return waiting.get(pass.kind).remove(pass);
  }

  /**
   * One that was inside is not.
   *
   * @return whether it was to the end, and was not {@link #expire shown out}
   */
  public boolean leave(Pass pass) {
    List<Pass> next = List.of();
    synchronized (this) {
      if (pass.turn != turn) {
        return false;
      }
      inside--;
      if (inside == 0) {
        next = nextTurn();
      }
    }
    next.forEach(one -> one.later.run());
    return true;
  }

  private List<Pass> nextTurn() {
    turn++;
    kind = waiting.get(other(kind)).isEmpty() ? kind : other(kind);
    return admitAll();
  }

  private List<Pass> admitAll() {
    List<Pass> all = List.copyOf(waiting.get(kind));
    waiting.get(kind).clear();
    all.forEach(this::admit);
    return all;
  }

  /** Which turn is on: it is another one whenever others are let in. */
  public synchronized long turn() {
    return turn;
  }

  /**
   * A commit has waited for a turn for long, and that is still on: shows out the snapshots that are
   * inside, or lets all commits in, as one that is inside may wait for them at a server.
   *
   * @return how many snapshots these are
   */
  public int expire(long of) {
    List<Pass> next = List.of();
    int late = 0;
    synchronized (this) {
      if (of == turn && inside > 0 && kind == Kind.SNAPSHOT) {
        late = inside;
        inside = 0;
        next = nextTurn();
      } else if (of == turn && inside > 0) {
        next = admitAll();
      }
    }
    next.forEach(one -> one.later.run());
    return late;
  }
}
