package io.mgtm.query.session;

/**
 * One passage of the gate, which is closed while a server comes in. Whoever is inside goes to its
 * end even if the session ends meanwhile. Belongs to a session.
 */
final class GatePass {
  private final ReplicatedSession session;
  private final Runnable then;
  private boolean inside;

  /**
   * One that has not begun.
   *
   * @param then called inside
   */
  GatePass(ReplicatedSession session, Runnable then) {
    this.session = session;
    this.then = then;
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

  void leave() {
    inside = false;
    session.shared().gate().leave();
    if (session.isEnded()) {
      session.closeBackends();
    }
  }
}
