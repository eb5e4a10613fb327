package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.fleet.SnapshotGate.Kind;
import io.mgtm.query.wire.ErrorFields;
import java.util.List;

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
     * @param row of the question that takes it
     * @param error null when it has taken one
     * @param inTime whether no commit has come between
     */
    void answered(List<String> row, ErrorFields error, boolean inTime);
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
  private final SnapshotGate.Pass pass;
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
    this.pass = new SnapshotGate.Pass(Kind.SNAPSHOT, () -> session.execute(this::comeIn));
  }

  /** Whether it has begun, and does not wait for commits. */
  boolean start() {
    session.runsAt(null);
    boolean inside = gate.enter(pass);
    if (inside) {
      comeIn();
    }
    return inside;
  }

  private void comeIn() {
    if (state == State.OVER) {
      gate.leave(pass);
      return;
    }
    state = State.INSIDE;
    session.set().readers().setTaking(true);
    at.hold(true);
    at.ask(
        sql,
        Answer.row(
            (row, error) -> {
              if (state == State.INSIDE) {
                taken.answered(row, error, leave());
              }
            },
            () -> {
              if (state == State.INSIDE) {
                leave();
                session.unit().lost(at);
              }
            }));
  }

  /** Whether no commit has come in meanwhile. */
  private boolean leave() {
    state = State.OVER;
    session.set().readers().setTaking(false);
    return gate.leave(pass);
  }

  /** Whether it has not begun, and does not any more. */
  boolean giveUp() {
    boolean waits = state == State.WAITING && gate.withdraw(pass);
    state = waits ? State.OVER : state;
    return waits;
  }

  /** Nothing is to come of it any more. */
  void end() {
    if (state == State.INSIDE) {
      leave();
    } else {
      gate.withdraw(pass);
      state = State.OVER; // One that is about to come in leaves then.
    }
  }
}
