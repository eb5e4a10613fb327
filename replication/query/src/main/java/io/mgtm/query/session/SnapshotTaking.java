package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.fleet.SnapshotGate.Kind;
import io.mgtm.query.wire.ErrorFields;

/**
 * Has a server that does not lead take a snapshot while no commit is under way. Belongs to a
 * session.
 */
final class SnapshotTaking {
  /** What comes of it. */
  interface Taken {
    /**
     * The server has answered.
     *
     * @param error null when it has taken one
     */
    void answered(ErrorFields error);
  }

  private enum State {
    WAITING,
    INSIDE,
    OVER
  }

  private final ReplicatedSession session;
  private final SnapshotGate gate;
  private final Backend at;
  private final String sql;
  private final Taken taken;
  private final Runnable comesIn;
  private State state = State.WAITING;

  /**
   * One that has not begun.
   *
   * @param sql what takes it
   */
  SnapshotTaking(ReplicatedSession session, Backend at, String sql, Taken taken) {
    this.session = session;
    this.gate = session.shared().snapshots();
    this.at = at;
    this.sql = sql;
    this.taken = taken;
    this.comesIn = () -> session.execute(this::comeIn);
  }

  /** Whether it has begun, and is not to wait for commits. */
  boolean start() {
    session.runsAt(null);
    boolean inside = gate.enter(Kind.SNAPSHOT, comesIn);
    if (inside) {
      comeIn();
    }
    return inside;
  }

  private void comeIn() {
    if (state == State.OVER) {
      gate.leave();
      return;
    }
    state = State.INSIDE;
    at.ask(
        sql,
        Answer.of(
            (tag, error, status) -> {
              if (leave()) {
                taken.answered(error);
              }
            },
            () -> {
              if (leave()) {
                session.unit().lost(at);
              }
            }));
  }

  private boolean leave() {
    boolean inside = state == State.INSIDE;
    state = State.OVER;
    if (inside) {
      gate.leave();
    }
    return inside;
  }

  /** Whether it has not begun, and does not any more. */
  boolean giveUp() {
    boolean waits = state == State.WAITING && gate.withdraw(Kind.SNAPSHOT, comesIn);
    state = waits ? State.OVER : state;
    return waits;
  }

  /** Nothing is to come of it any more. */
  void end() {
    if (!giveUp()) {
      leave();
    }
  }
}
