package io.mgtm.gtm.sim;

import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;

/** A member's state with a trace of how it came about, which stands before the state. */
final class WatchedMachine implements StateMachine {
  private final StateMachine machine;
  private final StateTrace trace;
  private final Runnable told;
  private final Runnable restored;

  /**
   * A state at its beginning.
   *
   * @param told run when it is told that entries may be missing
   * @param restored run after each restore
   */
  WatchedMachine(StateMachine machine, StateTrace trace, Runnable told, Runnable restored) {
    this.machine = machine;
    this.trace = trace;
    this.told = told;
    this.restored = restored;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    trace.apply(index, payload);
    machine.apply(index, payload);
  }

  @Override
  public void entriesMayBeMissing(long index) {
    trace.entriesMayBeMissing(index);
    told.run();
    machine.entriesMayBeMissing(index);
  }

  @Override
  public StatePicture picture() {
    return trace.before(machine.picture());
  }

  @Override
  public Runnable load(Pieces encoded) {
    StateTrace.Head head = StateTrace.head(encoded);
    Runnable state = machine.load(encoded);
    return () -> {
      trace.restore(head);
      state.run();
      restored.run();
    };
  }
}
