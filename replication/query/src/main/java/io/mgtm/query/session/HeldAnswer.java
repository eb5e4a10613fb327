package io.mgtm.query.session;

/**
 * What is answered to one statement, held until it is known whether the statement counts: it is
 * sent then, with what follows, or dropped. Belongs to a session.
 */
final class HeldAnswer {
  private final UnitOutput output;
  private final boolean heldBefore;
  private int from;
  private boolean ended;

  /** Of what comes from here on; nothing is held yet for this. */
  HeldAnswer(UnitOutput output) {
    this.output = output;
    this.heldBefore = output.isHeld();
    this.from = output.mark();
  }

  void hold() {
    output.hold(true);
  }

  /** What came until now was sent. */
  void beginHere() {
    from = output.mark();
  }

  boolean isEnded() {
    return ended;
  }

  /** It is sent, unless more than it is held. */
  void end() {
    if (!ended) {
      ended = true;
      output.hold(heldBefore);
      if (!heldBefore) {
        output.send();
      }
    }
  }

  /** It is dropped, where it has not ended. */
  void drop() {
    if (!ended) {
      output.dropAfter(from);
      end();
    }
  }
}
