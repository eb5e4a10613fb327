package io.mgtm.query.session;

import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.fleet.SnapshotGate.Kind;

/**
 * One passage of the gate, which is closed while a server comes in, and of that which keeps commits
 * apart from snapshots. Whoever is inside goes to its end even if the session ends meanwhile.
 * Belongs to a session.
 */
final class GatePass {
  private final ReplicatedSession session;
  private final Runnable then;
  private final SnapshotGate snapshots;
  private boolean inside;
  private boolean committing;

  /**
   * One that has not begun.
   *
   * @param then called inside
   */
  GatePass(ReplicatedSession session, Runnable then) {
    this.session = session;
    this.then = then;
    this.snapshots = session.shared().snapshots();
  }

  boolean isInside() {
    return inside;
  }

  /** Enters as soon as the gate is open, and no request to cancel is under way. */
  void enter() {
    session.runsAt(null);
    session.cancels().whenNone(this::enterGate);
  }

  private void enterGate() {
    if (session.shared().gate().enter(() -> session.execute(this::enter))) {
      inside = true;
      then.run();
    }
  }

  /** Goes on when no snapshot is taken; from then on servers show what is committed. */
  void commits(Runnable goesOn) {
    committing = true;
    if (snapshots.enter(Kind.COMMIT, () -> session.execute(goesOn))) {
      goesOn.run();
    }
  }

  void leave() {
    inside = false;
    if (committing) {
      committing = false;
      snapshots.leave();
    }
    session.shared().gate().leave();
    if (session.isEnded()) {
      session.closeBackends();
    }
  }
}
